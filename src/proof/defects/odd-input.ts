import { ENDPOINTS } from '../../contract/endpoints.ts'
import { HEADERS } from '../../contract/headers.ts'
import { type Call, headerValues } from '../../sandbox/wire/call.ts'
import { crashing, isServed, refusalsOf } from './answers.ts'
import { type Defect, defect } from './defect.ts'

/** Mistakes of a service that does not stand some input, wherever it comes. */
export const oddInputDefects: readonly Defect[] = [
  inBody('null-member', 'A member of a body that is null', (value) => value === null),
  inBody('list-member', 'A member of a body that is a list', Array.isArray),
  inBody('object-for-a-text', 'An object where a text belongs', (value) => JSON.stringify(value) === '{"a":1}'),
  inBody('empty-text', 'An empty text in a body', (value) => value === ''),
  inBody('number-for-a-text', 'A number where a text belongs', (value) => value === 5 || value === 17),
  inBody('fraction', 'A fraction in a body', (value) => typeof value === 'number' && !Number.isInteger(value)),
  inBody('huge-number', 'A number beyond 64 bits', (value) => typeof value === 'number' && value > 2 ** 63),
  inBody('long-text', 'A text of more than 255 characters in a body', (value) => textOf(value).length > 255),
  inBody('text-beyond-ascii', 'A letter beyond ASCII in a body', (value) => /[^\0-\x7f]/.test(textOf(value))),
  inBody('word-of-the-language', 'A text that is the name of a member of every object', (value) => isWord(value)),
  defect('link-of-an-unlisted-domain-crashes', ['ERR-02'], {
    summary: 'A tracking link for a domain that is not listed is answered 500.',
    ...crashing(refusalsOf('links.create', 'not_found')),
  }),
  inBody('body-without-members', 'A body without members', (value) => JSON.stringify(value) === '{}'),
  inParameter('empty-parameter', 'A parameter without a value', (_, value) => value === ''),
  inParameter('parameter-beyond-ascii', 'A letter beyond ASCII in a parameter', (_, value) => /[^\0-\x7f]/.test(value)),
  inParameter('long-parameter', 'A parameter of more than 255 characters', (_, value) => value.length > 255),
  inParameter(
    'date-in-words',
    'A date that is a word',
    (name, value) => /^(?:from|to)$/.test(name) && /^[a-z]+$/.test(value),
  ),
  inParameter(
    'size-of-no-page',
    'A size of pages other than a number of rows',
    (name, value) => name === 'limit' && !/^[1-9]\d{0,8}$/.test(value),
  ),
  inCall('window-backwards', 'A window that ends before it begins', ({ query }) => {
    const [from, to] = ['from', 'to'].map((name) => Date.parse(query.find(([key]) => key === name)?.[1] ?? ''))
    return Number(from) > Number(to)
  }),
  inCall('parameter-given-twice', 'A parameter that is given twice', ({ query }) => {
    const names = query.map(([name]) => name)
    return new Set(names).size < names.length
  }),
  inParameter('parameter-with-brackets', 'A parameter whose name has brackets', (name) => name.includes('[')),
  inParameter(
    'parameter-of-the-language',
    'A parameter that is the name of a member of every object',
    (name, value) => isWord(name) || isWord(value),
  ),
  inParameter('day-in-no-calendar', 'A day that is in no calendar', (_, value) =>
    /-02-30|-13-|^0000|^\d{6}/.test(value),
  ),
  inPath('long-id', 'An id of more than 253 characters', (id) => id.length > 253),
  inPath('id-beyond-ascii', 'A letter beyond ASCII in an id', (id) => /[^\0-\x7f]/.test(id)),
  inPath('id-with-an-apostrophe', 'An apostrophe in an id', (id) => id.includes("'")),
  inPath('id-with-a-slash', 'A slash in an id', (id) => id.includes('/')),
  inPath('id-of-the-language', 'An id that is the name of a member of every object', isWord),
  ...(
    [
      ['key-id-of-the-language', 'that is the name of a member of every object', isWord],
      ['key-id-with-an-apostrophe', 'with an apostrophe', (id: string) => id.includes("'")],
      ['long-key-id', 'of more than 255 characters', (id: string) => id.length > 255],
    ] as const
  ).map(([what, words, isOdd]) =>
    defect(`${what}-crashes`, ['AUTH-15'], {
      summary: `A key id ${words} is answered 500.`,
      ...crashing((_, call) => call.refusedBy === 'key' && headerValues(call, HEADERS.keyId.toLowerCase()).some(isOdd)),
    }),
  ),
  inCall('body-empty', 'An empty body', ({ method, body }) => method === 'POST' && body.length === 0),
  inCall('json-broken', 'A body that is not JSON', (call) => call.body.length > 0 && valuesIn(call).length === 0),
  inCall('order-of-a-long-key', 'An Idempotency-Key of more than 255 characters', (call) =>
    headerValues(call, 'idempotency-key').some((key) => key.length > 255),
  ),
  inCall('key-in-quotation-marks', 'An Idempotency-Key with an apostrophe', (call) =>
    headerValues(call, 'idempotency-key').some((key) => key.includes("'")),
  ),
  inCall(
    'name-of-a-dot',
    'A domain without any letter',
    ({ path, endpoint }) => endpoint === 'domains.detail' && /\/(?:\.|%2[eE])$/.test(path),
  ),
]

function inCall(what: string, words: string, isOdd: (call: Call) => boolean): Defect {
  return defect(`${what}-crashes`, ['ERR-02'], {
    summary: `${words} is answered 500.`,
    ...crashing((_, call) => isServed(call) && isOdd(call)),
  })
}

function inBody(what: string, words: string, isOdd: (value: unknown) => boolean): Defect {
  return inCall(what, words, (call) => {
    return call.endpoint !== null && ENDPOINTS[call.endpoint].method !== 'GET' && valuesIn(call).some(isOdd)
  })
}

function inParameter(what: string, words: string, isOdd: (name: string, value: string) => boolean): Defect {
  return inCall(what, words, ({ query }) => query.some(([name, value]) => isOdd(name, value)))
}

/** An id in a path, as it is meant. */
function inPath(what: string, words: string, isOdd: (id: string) => boolean): Defect {
  return inCall(what, words, ({ path }) => isOdd(decodeURIComponent(path.split('/').at(-1) ?? '')))
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function isWord(value: unknown): boolean {
  return value === 'constructor' || value === '__proto__'
}

/** The body itself and all values in it; none if it is not JSON. */
function valuesIn({ body }: Call): unknown[] {
  try {
    const values: unknown[] = []
    JSON.parse(Buffer.from(body).toString('utf8'), (_, value: unknown) => {
      values.push(value)
      return value
    })
    return values
  } catch {
    return []
  }
}
