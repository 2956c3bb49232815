import type { ServerResponse } from 'node:http'
import { atPointer, parseJson, places } from '../../conformance/http/json-body.ts'
import { BAD_RESPONSES } from './bad-responses.ts'
import type { Altering, ValidAnswer } from './correct-proxy.ts'
import { plain } from './correct-proxy.ts'
import { HOSTILE_HEADER, HOSTILE_LINE, HOSTILE_TEXT } from './hostile-text.ts'

/** A correct sandbox whose answers are corrupted on their way. */
interface Tampering {
  name: string
  alter: Altering
  saysYes: true
  isOdd?: true
  part?: number
}

/** Of calls that are corrupted intermittently; the slow kinds cost the caller a timeout each. */
const EVERY = 10
const EVERY_SLOW = 60
/** The runner gets this far before anything is odd. */
const SOUND_AT_FIRST = 30
/** So that most of what a scenario builds on is correct. */
const MEMBER_EVERY = 4

/** So deep that a recursive reader overflows. */
const DEEP = `${'['.repeat(100_000)}${']'.repeat(100_000)}`

/**
 * Behind these is a correct sandbox, so that a run comes to every corner of the runner before it meets what
 * is odd.
 */
export const TAMPERINGS: readonly Tampering[] = [
  ...BAD_RESPONSES.map(({ name, slow, commit }, index) => ({
    ...tampering(`${name} intermittently`, intermittently(slow ? EVERY_SLOW : EVERY, commit)),
    part: index,
  })),
  tampering(
    'says hostile things in every refusal',
    (_, response, answer) => answer.status >= 400 && hostileRefusal(response, answer),
  ),
  inPart(
    0,
    tampering(
      'adds hostile words to every text',
      textual((text) => text.replaceAll(WORDS, (_, key, value) => `"${key}":"${value}${HOSTILE_END}`)),
    ),
  ),
  inPart(
    1,
    tampering(
      'counts beyond all numbers',
      textual((text) => text.replaceAll(/:(\d+)/g, ':$1e400')),
    ),
  ),
  tampering(
    'nests without end',
    textual((text) => text.replace('{', `{"deep":${DEEP},`)),
  ),
  ...(
    [
      ['leaves a member out', () => undefined],
      ['says null', () => null],
      ['says a word for a value', () => 'a word'],
      ['says a list for a value', (value) => [value]],
    ] as const satisfies readonly (readonly [string, (value: unknown) => unknown])[]
  ).map(([name, change], part) => inPart(part, tampering(`${name} intermittently`, oneMember(change)))),
  odd(
    'says every key twice',
    textual((text) => text.replaceAll(/"([a-z_]+)":/g, '"$1":"said twice","$1":')),
  ),
  odd(
    'speaks of __proto__',
    textual((text) =>
      text.replaceAll('{', '{"__proto__":{"polluted":"yes"},"constructor":{"prototype":{"polluted":"yes"}},'),
    ),
  ),
  odd(
    'begins with a byte order mark',
    textual((text) => `\ufeff${text}`),
  ),
  odd('speaks HTTP/1.0', (request, response, answer) => bare(request.socket, response, answer, 'HTTP/1.0', '')),
  odd(
    'has hostile headers',
    (request, response, answer, ordinal) =>
      ordinal > SOUND_AT_FIRST && bare(request.socket, response, answer, 'HTTP/1.1', HOSTILE_HEADER),
  ),
]

function tampering(name: string, alter: Altering): Tampering {
  return { name, alter, saysYes: true }
}

/** Meets a quarter of the scenarios: enough to come to every corner, where the whole would take minutes. */
function inPart(part: number, it: Tampering): Tampering {
  return { ...it, part }
}

function odd(name: string, alter: Altering): Tampering {
  return { ...tampering(name, alter), isOdd: true }
}

function intermittently(every: number, commit: (typeof BAD_RESPONSES)[number]['commit']): Altering {
  return (request, response, _, ordinal) => {
    if (ordinal <= SOUND_AT_FIRST || ordinal % every !== 0) return false
    Promise.resolve(commit(request, response)).catch(() => request.socket.destroy())
    return true
  }
}

function textual(change: (text: string) => string): Altering {
  return (_, response, answer, ordinal) => {
    const isJson = String(answer.headers['content-type']).includes('json')
    if (ordinal <= SOUND_AT_FIRST || !isJson || answer.body.length === 0) return false
    plain(response, { ...answer, body: Buffer.from(change(answer.body.toString('utf8'))) })
    return true
  }
}

/** In every fourth answer another member, each in its turn, has another value or none. */
function oneMember(change: (value: unknown) => unknown): Altering {
  return (_, response, answer, ordinal) => {
    const json = parseJson(answer.body)
    const members = [...places(json)].filter(({ at }) => !/\/\d+$/.test(at))
    const member = members[Math.floor(ordinal / MEMBER_EVERY) % Math.max(1, members.length)]
    if (ordinal <= SOUND_AT_FIRST || ordinal % MEMBER_EVERY !== 0 || !member) return false
    const holder = atPointer(json, member.at.slice(0, member.at.lastIndexOf('/'))) as Record<string, unknown>
    holder[member.key] = change(member.value)
    plain(response, { ...answer, body: Buffer.from(JSON.stringify(json)) })
    return true
  }
}

/** Values that are words for people or machines: no ids, names, addresses or times, or a run would come nowhere. */
const WORDS =
  /"(code|message|status|type|kind|reason|currency|request_id|tier|note|name|title|label)":"((?:[^"\\\\]|\\\\.)*)"/g

const HOSTILE_END = JSON.stringify(HOSTILE_TEXT).slice(1)

function hostileRefusal(response: ServerResponse, answer: ValidAnswer): true {
  const body = JSON.stringify({ code: HOSTILE_TEXT, message: HOSTILE_TEXT, [HOSTILE_LINE]: HOSTILE_TEXT })
  plain(response, { ...answer, body: Buffer.from(body) })
  return true
}

/** Written by hand, so that every byte of the head is ours. */
function bare(
  socket: { end(bytes: Buffer): unknown },
  response: ServerResponse,
  { status, headers, body }: ValidAnswer,
  version: string,
  words: string,
): true {
  const kept = Object.entries(headers).filter(
    ([name]) => !['connection', 'keep-alive', 'transfer-encoding', 'content-length'].includes(name),
  )
  const lines = [
    `${version} ${status} ${words}`,
    ...kept.map(([name, value]) => `${name}: ${String(value)}`),
    ...(words ? [`X-Hostile: ${words}`, `X-Request-Id: ${words}`] : []),
    `Content-Length: ${body.length}`,
    'Connection: close',
  ]
  response.detachSocket(response.socket as never)
  socket.end(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body]))
  return true
}
