import { isDeepStrictEqual } from 'node:util'
import { headerIn } from '../../../contract/headers.ts'
import { isObject } from '../../../contract/is-object.ts'
import {
  anything,
  byType,
  flag,
  list,
  oneOf,
  partial,
  string,
  type TypeOf,
  withExamples,
} from '../../../contract/schema.ts'
import { type Answer, isAccepted } from '../../http/exchange.ts'
import { atPointer, places, withEntries } from '../../http/json-body.ts'
import { Open } from '../../result/open.ts'
import {
  describeMatcher,
  MATCHERS,
  type Matcher,
  matchersInWords,
  matches,
  STEP_ID,
  shown,
  type Template,
  templates,
} from '../values.ts'
import { type Check, failure, missing } from './check.ts'
import {
  type AnswerSeen,
  type ExpectationKind,
  type Item,
  keysAsRoles,
  noRoles,
  type Seen,
  type ThingsSeen,
} from './kind.ts'
import { comparing, every } from './things.ts'

const SAME_AS = byType('The answer is the one an earlier step got.', {
  string: string(undefined, STEP_ID),
  object: partial(
    'Which step, and how alike.',
    {
      step: string(undefined, STEP_ID),
      by: oneOf(['bytes', 'body', 'json', 'status'], 'json (default) leaves request ids out, body the status.'),
      roles: list(string(), { description: 'Compare these roles only.' }),
      where: templates('Of a list among the roles only the items for which this holds.'),
      unlike: flag('Must differ instead.'),
    },
    { required: ['step'] },
  ),
})

type SameAs = TypeOf<typeof SAME_AS>

/** What an answer, or a page, has to hold. */
export const CONTENTS = {
  roles: {
    schema: withExamples(MATCHERS, { 'order.status': 'EXTERNALLY_PAID', 'listing.price': { at_least: 1 } }),
    roles: keysAsRoles,
    judge: {
      answer: (seen, wanted) => judgeRoles(seen, wanted, seen.answer),
      page: (seen, wanted, { shows }) => seen.facts(wanted, shows === undefined),
      things: every,
    },
    words: matchersInWords,
    compares: comparing,
  } satisfies ExpectationKind<Record<string, Matcher>>,

  headers: {
    schema: withExamples(MATCHERS, { 'content-type': { contains: 'json' } }),
    roles: noRoles,
    judge: { answer: judgeHeaders, page: judgeHeaders },
    words: matchersInWords,
    compares: false,
  } satisfies ExpectationKind<Record<string, Matcher>>,

  lacks: {
    schema: withExamples(anything<Template>('Texts that the answer must not contain, headers included.'), [
      '${credential.secret}',
    ]),
    roles: noRoles,
    judge: { answer: judgeAbsence, page: judgeAbsence, things: judgeAbsenceInAll },
    words: () => ['no secret in the answer'],
    compares: false,
  } satisfies ExpectationKind<Template>,

  same_as: {
    schema: withExamples(SAME_AS, 'first', { step: 'first', by: 'bytes' }),
    roles: (wanted) =>
      typeof wanted === 'string' ? [] : keysAsRoles(wanted.where ?? {}).map(([at, role]) => [['where', ...at], role]),
    judge: { answer: judgeSameness },
    words: (wanted) => [samenessInWords(wanted)],
    compares: true,
  } satisfies ExpectationKind<SameAs>,
}

/** Roles of an answer or of one item of a list. */
export function judgeRoles(seen: Seen, roles: Record<string, Matcher>, item: Item): Check | null {
  for (const [name, template] of Object.entries(roles)) {
    const matcher = seen.fill(template as Template, item) as Matcher
    const found = seen.find(name, item)
    if (!found.found) {
      if (found.why === 'absent' && isObject(matcher) && matcher.present === false) continue
      return missing(found, name)
    }
    if (!matches(found.value, matcher))
      return failure(`${name} is ${shown(found.value)}`, `asked for: ${name} ${describeMatcher(matcher)}`)
  }
  return null
}

function judgeHeaders(seen: Seen & { answer: Answer }, headers: Record<string, Matcher>): Check | null {
  for (const [name, template] of Object.entries(headers)) {
    const matcher = seen.fill(template as Template) as Matcher
    const value = headerIn(seen.answer.headers, name)
    // What says that it has no content has no type of it.
    if (value === undefined && name === 'content-type' && seen.answer.status === 204) continue
    if (!matches(value, matcher)) return failure(value === undefined ? `no header ${name}` : `${name}: ${shown(value)}`)
  }
  return null
}

function judgeAbsence(seen: Seen & { answer: Answer }, wanted: Template): Check | null {
  const all = wholeText(seen.answer)
  const found = [seen.fillForbidden(wanted)].flat().some((text) => all.includes(String(text)))
  return found ? failure('the answer contains what it must not') : null
}

function judgeAbsenceInAll(things: ThingsSeen, wanted: Template): Check | null {
  const forbidden = [things.fillForbidden(wanted)].flat().map(String)
  const texts = Array.from({ length: things.size }, (_, index) => things.text(index))
  const leaks = texts.filter((text) => forbidden.some((one) => text.includes(one)))
  return leaks.length === 0 ? null : failure(`${leaks.length} of ${things.size} contain what they must not`)
}

/** Headers of every answer, whose values are names of headers that calls may have. */
const OF_BROWSERS = /^(?:access-control-|vary$)/i

/** An answer as text, with its headers. */
export function wholeText({ headers, body }: Pick<Answer, 'headers' | 'body'>): string {
  const own = headers.filter(([name]) => !OF_BROWSERS.test(name))
  return `${own.map(([name, value]) => `${name}: ${value}`).join('\n')}\n${new TextDecoder().decode(body)}`
}

/** The answer against that of an earlier step. */
function judgeSameness(seen: AnswerSeen, wanted: SameAs): Check | null {
  const wish = typeof wanted === 'string' ? { step: wanted } : wanted
  const other = seen.earlier(wish.step)
  if (!isAccepted(other.answer) && isAccepted(seen.answer))
    throw Open.unproven(`step ${wish.step}, which this is compared with, was not accepted`)
  for (const role of wish.roles ?? []) {
    const absent = lackingIn(role, [seen, other], wish.unlike === true)
    if (absent) return absent
  }
  const differing = wish.roles?.find(
    (role) => !isDeepStrictEqual(comparable(role, seen, wish.where), comparable(role, other, wish.where)),
  )
  const alike = wish.roles ? differing === undefined : sameAnswer(wish.by ?? 'json', seen.answer, other.answer)
  if (alike === (wish.unlike !== true)) return null
  if (alike) return failure(`the same answer as ${wish.step}`)
  return failure(`another answer than ${wish.step} got: ${differenceInWords(seen, other, differing)}`)
}

/** Where an answer is another than an earlier one: the role in which they differ, else the outcome, else the first member. */
function differenceInWords(own: AnswerSeen, other: AnswerSeen, role: string | undefined): string {
  if (role !== undefined) {
    const [value, before] = [own, other].map((seen) => {
      const found = seen.find(role, seen.answer)
      return found.found ? found.value : undefined
    })
    return `${role} is ${shown(value)}, there ${shown(before)}`
  }
  if (own.words !== other.words) return `${own.words}; there ${other.words}`
  const [json, before] = [own, other].map(({ answer }) => withoutRequestIds(answer.json))
  const leaves = [json, before].flatMap((root) => [...places(root)].filter(({ value }) => Object(value) !== value))
  const at = leaves.map((leaf) => leaf.at).find((at) => atPointer(json, at) !== atPointer(before, at))
  if (at === undefined) return json === undefined ? 'another body' : 'the same JSON in other bytes'
  return `${at} is ${shown(atPointer(json, at))}, there ${shown(atPointer(before, at))}`
}

/**
 * Why two answers cannot be compared by a role. One that only the other has is another, but what is gone has not changed; one that
 * neither has says nothing, unless the document names its key: then both lack the same.
 */
function lackingIn(role: string, [own, other]: [AnswerSeen, AnswerSeen], unlike: boolean): Check | null {
  const [found, before] = [own.find(role, own.answer), other.find(role, other.answer)]
  if (!found.found && (unlike || found.why === 'ambiguous')) return missing(found, role)
  if (before.found) return null
  if (before.why === 'ambiguous') return missing(before, role)
  return found.found || before.documented ? null : missing(before, role)
}

/** What a role is, of a list only the items asked for. A text that repeats what the path asked for says the same as one that repeats another path's. */
function comparable(role: string, seen: AnswerSeen, where: Record<string, Matcher> | undefined): unknown {
  const { answer, asked } = seen
  const found = seen.find(role, answer)
  if (!found.found) return undefined
  const { value } = found
  if (typeof value === 'string') return asked === '' ? value : value.replaceAll(asked, '{asked}')
  if (where === undefined || !Array.isArray(value)) return value
  return value.filter((json) => judgeRoles(seen, where, { json, op: answer.op }) === null)
}

function sameAnswer(by: 'bytes' | 'body' | 'json' | 'status', a: Answer, b: Answer): boolean {
  const sameBody = () => Buffer.from(a.body).equals(b.body)
  if (by === 'body') return sameBody()
  if (by === 'status' || a.status !== b.status) return a.status === b.status
  if (by === 'bytes' || a.json === undefined || b.json === undefined) return sameBody()
  return isDeepStrictEqual(withoutRequestIds(a.json), withoutRequestIds(b.json))
}

const OF_THE_REQUEST = /^(request|trace|correlation)_?id$/i

function withoutRequestIds(json: unknown): unknown {
  return withEntries(json, (entries) => entries.filter(([key]) => !OF_THE_REQUEST.test(key)))
}

function samenessInWords(wanted: SameAs): string {
  if (typeof wanted === 'string') return `the same answer as ${wanted}`
  const by = wanted.roles ? wanted.roles.join(', ') : (wanted.by ?? 'json')
  return `${wanted.unlike ? 'another' : 'the same'} answer ${wanted.unlike ? 'than' : 'as'} ${wanted.step} (${by})`
}
