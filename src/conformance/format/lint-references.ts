import { PAYMENT_MODELS } from '../../contract/payment-models.ts'
import { didYouMean } from '../../contract/words.ts'
import { misspelled, wrongEventPath } from './lint-fields.ts'
import { DELIVERY_FACTS, isPageFact, isRole, PAGE_FACTS, ROLE_NAMES, ROLES } from './roles.ts'
import type { Step } from './scenario.ts'
import { STATE_SIGNS } from './state-words.ts'
import { kindsOf, producedBy } from './step-facts.ts'
import { BUILT_INS, type Reference } from './values.ts'

const OF_LISTED = ['domain', 'label', 'price', 'currency']

/** What there is of each name that is not a step. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  listed: OF_LISTED,
  sellable: [...OF_LISTED, 'capitals', 'ending'],
  unlisted: ['domain'],
  live_site: ['domain'],
  topic: ['query', 'finds'],
  webhook: ['url'],
  status: STATE_SIGNS.map(([state]) => state),
  model: PAYMENT_MODELS,
  credential: ['key_id', 'secret'],
  uuid: ['end'],
  run: ['id'],
  receiver: ['url', 'secret'],
}

/** Those that are a value without any of it. */
const ALONE = ['sellable', 'uuid', 'run']

/** What a call has beside the roles of its answer. */
const OF_CALL = ['nonce', 'timestamp', 'signature', 'idempotency_key', 'request', 'status']

/**
 * Why a reference leads nowhere; null if it may lead to a value.
 *
 * @param known the steps that it may refer to.
 */
export function wrongReference(reference: Reference, known: ReadonlyMap<string, Step>, text: string): string | null {
  const [first, ...rest] = reference
  const name = String(first)
  const wrong = (what: string): string => `"${what}" in ${text.slice(0, 60)}`
  const step = known.get(name)
  if (step !== undefined) {
    const why = wrongOfStep(step, rest)
    return why === null ? null : `${wrong(written(rest))} ${why}`
  }
  if (!BUILT_INS.includes(name)) {
    const names = [...known.keys(), ...BUILT_INS]
    return `${wrong(name)} is neither an earlier step nor a fixture${didYouMean(name, names)}`
  }
  if (name === 'item') return rest.length === 0 ? null : inAnswer(rest, wrong)
  const parts = PARTS[name]
  if (parts === undefined) return null
  const words = rest.filter((one) => typeof one === 'string')
  // The name of a hook may come before what there is of it.
  const part = name === 'receiver' ? words.at(-1) : words[0]
  if (part === undefined) return ALONE.includes(name) ? null : `${wrong(name)} needs a part: ${parts.join(', ')}`
  return parts.includes(part)
    ? null
    : `${wrong(part)} is not of ${name}, which has ${parts.join(', ')}${didYouMean(part, parts)}`
}

/** @example written(['events', 0, 'id']) // 'events[0].id' */
function written(rest: Reference): string {
  return rest.map((part, at) => (typeof part === 'number' ? `[${part}]` : at === 0 ? part : `.${part}`)).join('')
}

function inAnswer(rest: Reference, wrong: (what: string) => string): string | null {
  const why = wrongRole(rest)
  return why === null ? null : `${wrong(written(rest))} ${why}`
}

/** Why a step has no such value; null if it may have. */
function wrongOfStep(step: Step, rest: Reference): string | null {
  const [kind] = kindsOf(step)
  if (kind === undefined || rest.length === 0) return null
  const produced = producedBy(step)
  if (produced === null) return `has no value: a step with ${kind} makes none`
  if (produced === 'page') return wrongOfPage(rest)
  if (produced === 'events' || produced === 'deliveries') return wrongOfEvents(rest, step, produced === 'deliveries')
  const [first, ...inner] = rest
  if (first === 'sum' || first === 'found') return inner.length === 0 ? null : wrongRole(inner)
  if (OF_CALL.includes(String(first))) return null
  return wrongRole(rest)
}

function wrongOfPage(rest: Reference): string | null {
  const fact = written(rest)
  if (fact === 'status' || isPageFact(fact)) return null
  const facts = PAGE_FACTS.map((one) => `page.${one}`)
  return `is not a page fact${didYouMean(fact, facts)}`
}

/** What of events is referred to as one of them, or as the delivery of one. */
const OF_EVENTS = ['count', 'event', 'events', 'delivery', 'deliveries']

function wrongOfEvents(rest: Reference, step: Step, isDelivered: boolean): string | null {
  const [first, ...others] = rest
  if (typeof first === 'string' && !OF_EVENTS.includes(first))
    return `is not of events, which have ${OF_EVENTS.join(', ')}: say event.${first}`
  const path = others.filter((part) => typeof part === 'string')
  const [fact] = path
  if (first === 'count' || fact === undefined) return null
  if (first === 'event' || first === 'events') {
    const why = wrongEventPath(path.join('.'), step.events?.type, isDelivered)
    return why === null ? null : `leads nowhere: ${why}`
  }
  if (typeof first === 'number' || (DELIVERY_FACTS as readonly string[]).includes(fact)) return null
  return `is not a delivery fact${didYouMean(fact, DELIVERY_FACTS)}`
}

/** Why no answer has a value of this name: it begins with no role, or with one that has nothing in it. */
function wrongRole(rest: Reference): string | null {
  if (rest[0] === 'body') return null
  const until = rest.findIndex((part) => typeof part === 'number')
  const words = (until === -1 ? rest : rest.slice(0, until)).map(String)
  const length = words.findLastIndex((_word, at) => isRole(words.slice(0, at + 1).join('.'))) + 1
  if (length === 0) return `is not a role${didYouMean(words.join('.'), ROLE_NAMES)}`
  const name = words.slice(0, length).join('.')
  const inner = rest.slice(length).filter((part) => typeof part === 'string')
  if (inner.length === 0 || inner[0] === 'altered' || inner[0] === 'length') return null
  if (isRole(inner.join('.'))) return null
  // What an answer holds beside its roles is open; a slip in the name of a role is none of it.
  const meant = misspelled(until === -1 ? words.join('.') : inner.join('.'), ROLE_NAMES)
  if (meant !== null) return `is not a role; did you mean "${meant}"?`
  const isPlain = isRole(name) && until === -1 && !['object', 'list', 'any'].includes(ROLES[name].kind)
  return isPlain ? `leads nowhere: ${name} is one value` : null
}
