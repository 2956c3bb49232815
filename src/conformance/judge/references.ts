import { wellFormed } from '../../contract/canonical-string.ts'
import { HEADERS, headerIn } from '../../contract/headers.ts'
import { withoutPast } from '../context/earlier-items.ts'
import { type CallExchange, firstExchange, type HistoryEvent, type ScenarioRun, targetNowMs } from '../context/run.ts'
import { includedItem, ledgerKind, listRoleOf, sumOver } from '../dialect/list-values.ts'
import { centsOf, isMoney, noteUnitByPrice, type Units } from '../dialect/money.ts'
import { isInEntry } from '../dialect/place.ts'
import { modelsIn, statesIn } from '../dialect/words.ts'
import { placeInWords } from '../format/expectations/check.ts'
import type { Item } from '../format/expectations/kind.ts'
import { type Found, isPageFact, isRole } from '../format/roles.ts'
import {
  ExpressionTypeError,
  type FoundInPlace,
  fillIn,
  isSecretOfCredential,
  type Matcher,
  type Reference,
  SECRET_ELSEWHERE,
  type Template,
} from '../format/values.ts'
import { type Answer, isAccepted, statusWord } from '../http/exchange.ts'
import { atKeys, atPath, parseJson } from '../http/json-body.ts'
import { factOf, type PageVisit } from '../pages/page-visit.ts'
import { Open } from '../result/open.ts'
import { noteWith } from '../result/target-addition.ts'
import type { DialectFile } from '../target/target.ts'

/**
 * Fills in everything a scenario wrote with `${...}`.
 *
 * @throws Open (not_run) if a value cannot be found in the target's answers, Open (fail) if it had to be there, Open (inconclusive) if the step it is of
 * failed or the target's values cannot be reckoned with.
 *
 * @param isForbidden whether it is what an answer must not contain.
 */
export function filled(scenarioRun: ScenarioRun, template: Template, item?: Item, isForbidden = false): unknown {
  if (typeof template === 'string' ? !template.includes('${') : typeof template !== 'object') return template
  try {
    return fillIn(template, (reference) => {
      // Nothing but what an answer must not contain may name the secret, so that a call never carries it.
      if (isForbidden && isSecretOfCredential(reference)) return scenarioRun.run.credentials.main.secret
      const value = resolve(scenarioRun, reference, item)
      // A target may say half of a surrogate pair, which no request can carry.
      return typeof value === 'string' ? wellFormed(value) : value
    })
  } catch (error) {
    // The linter has read the scenario: what does not add up is what the target said.
    throw error instanceof ExpressionTypeError ? Open.unproven(error.message) : error
  }
}

export function filledText(scenarioRun: ScenarioRun, template: Template): string {
  const value = filled(scenarioRun, template)
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function resolve(scenarioRun: ScenarioRun, reference: Reference, item: Item | undefined): unknown {
  const [first, ...rest] = reference
  const name = String(first)
  if (isFoundInPlace(name)) return IN_PLACE[name](scenarioRun, rest, item)
  if (scenarioRun.known.has(name)) return within(scenarioRun.known.get(name), rest, reference)
  const record = scenarioRun.records.get(name)
  if (!record) throw Open.unproven(`step ${name}, which this refers to, was not carried out`)
  if (record.kind === 'operated') throw new RangeError(`step ${name} made no call and has no value`)
  if (record.kind === 'events') return valueOfEvents(name, record.events, rest)
  if (record.kind === 'pages') return pageValue(name, record.visits, rest)
  const [exchange] = record.exchanges
  if (!exchange) throw Open.unproven(`step ${name} made no call`)
  return exchangeValue(scenarioRun, name, exchange, rest)
}

function isFoundInPlace(name: string): name is FoundInPlace {
  return Object.hasOwn(IN_PLACE, name)
}

const IN_PLACE: Record<FoundInPlace, (scenarioRun: ScenarioRun, rest: Reference, item: Item | undefined) => unknown> = {
  uuid: ({ run }, [part]) => (part === 'end' ? run.uuid().slice(-10) : run.uuid()),
  run: ({ run }) => run.runId,
  run_number: ({ run }) => Number.parseInt(run.runId.slice(0, 8), 16) % RUN_NUMBERS,
  run_start: ({ run }) => new Date(run.clock.startedAtMs).toISOString(),
  now: ({ run }) => nowOfTarget(run),
  today: ({ run }) => nowOfTarget(run).slice(0, 'YYYY-MM-DD'.length),
  vars: ({ vars }, [name]) => vars.get(String(name)),
  item: itemValue,
  status: (scenarioRun, [state]) => statusName(scenarioRun, String(state)),
  model: (scenarioRun, [model]) => modelName(scenarioRun, String(model)),
  receiver: receiverValue,
  credential: credentialValue,
  sellable: leaseValue,
}

function nowOfTarget(run: ScenarioRun['run']): string {
  return new Date(targetNowMs(run) + run.clock.advancedMs).toISOString()
}

function itemValue(scenarioRun: ScenarioRun, rest: Reference, item: Item | undefined): unknown {
  if (!item) throw new RangeError('${item} has a meaning inside every, includes and excludes only')
  return roleOrPath(scenarioRun, { json: item.json, op: item.op }, rest)
}

/** An amount with this in it shows who owns it, and stays one that a deal may have. */
const RUN_NUMBERS = 5_000_000

function leaseValue(scenarioRun: ScenarioRun, rest: Reference): unknown {
  const [index, ...path] = typeof rest[0] === 'number' ? rest : [0, ...rest]
  const lease = scenarioRun.leases[Number(index)]
  if (!lease) throw new RangeError(`needs does not ask for fixture.sellable(${Number(index) + 1})`)
  if (path.length === 0) return lease.domain
  // A name of one letter and its ending has none: the longer one is another name as well.
  if (path[0] === 'capitals') return lease.domain.toUpperCase()
  if (path[0] === 'ending') return lease.label.length > 1 ? lease.domain.slice(1) : `x${lease.domain}`
  if (path[0] !== 'price' || !lease.listed) return within(lease, path, ['sellable', ...rest])
  return centsOf(scenarioRun.run.dialect.units, lease.listed.money, lease.listed.place, scenarioRun.reading)
}

function statusName(scenarioRun: ScenarioRun, state: string): string {
  const { settings, words } = scenarioRun.run.dialect
  const name = settings.statuses[state as 'held'] ?? statesIn(words.get('order.status'))[state as 'held']
  if (name === undefined)
    throw Open.notRun(
      'needs-dialect',
      noteWith(`the target's name for the status of ${state} orders is unknown`, {
        dialect: { statuses: { [state]: 'WORD' } },
      }),
    )
  return name
}

function modelName(scenarioRun: ScenarioRun, model: string): unknown {
  const { settings, words } = scenarioRun.run.dialect
  const key = model as keyof DialectFile['paymentModels']
  const name = settings.paymentModels[key] ?? modelsIn(words.get('transaction.payment_model'))[key]
  if (name !== undefined) return name
  const addition = { dialect: { payment_models: { [model]: 'WORD' } } }
  throw Open.notRun('needs-dialect', noteWith(`the target's name for the payment model ${model} is unknown`, addition))
}

/** `receiver.url` is that of the hook main, `receiver.second.url` that of another. */
function receiverValue({ hooks }: ScenarioRun, rest: Reference): unknown {
  const [name, fact] = rest.length === 1 ? ['main', rest[0]] : rest
  const hook = hooks.get(String(name))
  if (hook && fact === 'url') return hook.url
  if (hook && fact === 'secret') return hook.secret
  throw new RangeError('of a hook of the receiver there is url and secret')
}

/** Of a credential only what is public. */
function credentialValue(scenarioRun: ScenarioRun, rest: Reference): unknown {
  const { main } = scenarioRun.run.credentials
  if (rest[0] === 'key_id') return main.keyId
  if (rest[0] === 'secret') throw new RangeError(SECRET_ELSEWHERE)
  throw new RangeError('of a credential there is key_id and secret')
}

function within(value: unknown, path: Reference, reference: Reference): unknown {
  const found = atKeys(value, path)
  if (found === undefined) throw new RangeError(`\${${reference.join('.')}} leads nowhere`)
  return found
}

/** A field that the document shows in every event, or that a scenario has found in this very answer. */
function documented(json: unknown, path: Reference): unknown {
  const value = atKeys(json, path)
  if (value === undefined) throw Open.lacking(path.join('.'), 'the document says that it is there')
  return value
}

function valueOfEvents(name: string, events: readonly HistoryEvent[], rest: Reference): unknown {
  if (rest[0] === 'count') return events.length
  if (rest[0] === 'delivery' || rest[0] === 'deliveries') return deliveryValue(name, events, rest)
  const [index, ...path] = rest[0] === 'event' ? [0, ...rest.slice(1)] : rest[0] === 'events' ? rest.slice(1) : rest
  const event = events[Number(index)]
  if (!event) throw Open.unproven(`step ${name} found no such event`)
  return documented(event.json, path)
}

function deliveryValue(name: string, events: readonly HistoryEvent[], rest: Reference): unknown {
  const [index, ...path] = rest[0] === 'delivery' ? [0, ...rest.slice(1)] : rest.slice(1)
  const event = events[Number(index)]
  if (!event) throw Open.unproven(`step ${name} received no such delivery`)
  return within(event, ['delivery', ...path], rest)
}

function pageValue(name: string, visits: readonly PageVisit[], rest: Reference): unknown {
  const [visit] = visits
  if (!visit?.answer) throw Open.unproven(`step ${name} opened no page`)
  if (rest[0] === 'status') return visit.answer.status
  const fact = rest.join('.')
  if (!isPageFact(fact)) throw new RangeError(`\${${fact}} is not a page fact`)
  const found = factOf(visit, fact)
  if ('unknown' in found) throw Open.notRun('needs-dialect', found.unknown)
  if (found.value === undefined) throw Open.unproven(`the page of step ${name} has no ${fact}`)
  return found.value
}

function exchangeValue(scenarioRun: ScenarioRun, name: string, exchange: CallExchange, rest: Reference): unknown {
  const { call, answer } = exchange
  if (rest[0] === 'nonce') return exchange.nonce
  if (rest[0] === 'timestamp') return exchange.timestamp
  if (rest[0] === 'signature') return headerIn(exchange.request.headers, HEADERS.signature)
  if (rest[0] === 'idempotency_key') return call.idempotencyKey
  if (rest[0] === 'request') return within(parseJson(call.body ?? new Uint8Array()), rest.slice(1), rest)
  if (!answer) throw Open.unproven(`step ${name} got no answer`)
  if (rest[0] === 'status' && rest.length === 1) return answer.status
  if (!isAccepted(answer) && rest[0] !== 'error')
    throw Open.unproven(`step ${name} was not accepted (${statusWord(answer)})`)
  if (rest[0] === 'sum')
    return sumOver(listIn(scenarioRun, answer), rest.slice(1).join('.'), (found) =>
      lacking(rest.slice(1).join('.'), found),
    )
  if (rest[0] === 'found') return roleOrPath(scenarioRun, itemFound(scenarioRun, name, answer), rest.slice(1))
  return roleOrPath(scenarioRun, answer, rest)
}

/** The list that an answer is, for what is said of all its items. */
function listIn(scenarioRun: ScenarioRun, answer: Answer) {
  const role = listRoleOf(answer.op)
  return {
    items: roleValue(scenarioRun, answer, role) as unknown[],
    find: (item: unknown, name: string) => findValue(scenarioRun, { json: item, op: answer.op }, name),
  }
}

/** The rows of the list that an earlier step has read. @throws Open if it has read none. */
export function rowsOfStep(scenarioRun: ScenarioRun, step: string): Item[] {
  const answer = firstExchange(scenarioRun, step)?.answer
  if (!isAccepted(answer ?? null) || !answer) throw Open.unproven(`step ${step} has read no list`)
  return listIn(scenarioRun, answer).items.map((json) => ({ json, op: answer.op }))
}

/** The same without what was there before this scenario. */
export function newIn(scenarioRun: ScenarioRun, answer: Answer) {
  const list = listIn(scenarioRun, answer)
  return { ...list, items: withoutPast(scenarioRun, answer.op, list.items) }
}

function itemFound(scenarioRun: ScenarioRun, name: string, answer: Answer): Item {
  const { scenario } = scenarioRun
  const fill = matcherFilling(scenarioRun, answer)
  return { json: includedItem(scenario, name, newIn(scenarioRun, answer), fill), op: answer.op }
}

/** Fills in what a matcher of an item of this list wrote with `${...}`. */
export function matcherFilling(scenarioRun: ScenarioRun, { op }: Answer): (matcher: Matcher, item: unknown) => unknown {
  return (matcher, item) => filled(scenarioRun, matcher as Template, { json: item, op })
}

/** A role by its longest name, then further into its value: `search.items[0].search.domain`. */
function roleOrPath(scenarioRun: ScenarioRun, ground: Item, rest: Reference): unknown {
  if (rest[0] === 'body') return documented(ground.json, rest.slice(1))
  const until = rest.findIndex((part) => typeof part === 'number')
  const words = (until === -1 ? rest : rest.slice(0, until)).map(String)
  for (let length = words.length; length > 0; length--) {
    const name = words.slice(0, length).join('.')
    if (!isRole(name)) continue
    const value = roleValue(scenarioRun, ground, name)
    return length === rest.length ? value : further(scenarioRun, value, rest.slice(length), ground)
  }
  throw new RangeError(`\${${rest.join('.')}} is not a role`)
}

/**
 * An id of the same form that belongs to nothing: of one that may be counted, a far greater one; of any other, one with another last character.
 *
 * @example altered('ord_1042') // 'ord_999999'
 * @example altered('ord_01hq') // 'ord_01h8'
 */
export function altered(id: string): string {
  const [, start = '', last = ''] = /^(.*?)([a-z\d]*[^a-z\d]*)$/is.exec(id) ?? []
  if (/^[\da-f]+$/i.test(last) && /\d/.test(last)) {
    const length = last.startsWith('0') ? last.length : Math.max(COUNTED_DIGITS, last.length)
    // Nineteen nines are more than 64 bits hold.
    return start + (length < 19 ? '9' : '8').repeat(length)
  }
  return start + last.replace(/[a-z\d](?=[^a-z\d]*$)/i, (sign) => (sign === '8' ? '7' : '8'))
}

/** Fewer things are counted in a sandbox or a staging. */
const COUNTED_DIGITS = 6

function further(scenarioRun: ScenarioRun, value: unknown, rest: Reference, ground: Item): unknown {
  const [first, ...path] = rest
  if (first === 'altered') return altered(String(value))
  const inner = atPath(value, String(first))
  if (inner === undefined) throw Open.unproven(`the answer found has no ${String(first)}`)
  if (path.length === 0) return inner
  return isRole(path.join('.'))
    ? roleOrPath(scenarioRun, { json: inner, op: ground.op }, path)
    : further(scenarioRun, inner, path, ground)
}

/** @throws Open (not_run), Open (fail) */
function roleValue(scenarioRun: ScenarioRun, ground: Item, name: string): unknown {
  const found = findValue(scenarioRun, ground, name)
  if (found.found) return found.value
  return lacking(name, found)
}

/** @throws Open (not_run), Open (fail); Open (inconclusive) if a list may be at its end. */
function lacking(name: string, found: Found): never {
  if (name.endsWith('.next')) throw Open.unproven(`no further page: ${found.found ? '' : found.detail}`)
  if (!found.found && found.documented) throw Open.lacking(name, found.detail)
  throw Open.notRun('needs-dialect', found.found ? '' : found.detail)
}

/** What finding a value takes: the run, and where it is noted how the value was found, if somewhere. */
export type Finder = Pick<ScenarioRun, 'run' | 'reading'> & Partial<Pick<ScenarioRun, 'leases'>>

/** The value of a role in an answer or item; money in cents. Paths that begin with `body.` are looked up as they stand. */
export function findValue({ run: { dialect }, reading, leases = [] }: Finder, ground: Item, name: string): Found {
  if (name.startsWith('body.')) return bodyValue(ground.json, name)
  if (!isRole(name)) throw new RangeError(`${name} is not a role`)
  const found = dialect.find(name, ground)
  if (!found.found) return found
  const place = `${ground.op}:${name}`
  if (reading && dialect.isGuessed(name, ground.op, found.at)) {
    const guess = { name: place, role: name, at: found.at }
    reading.guessed.set(placeInWords(guess), guess)
  }
  if (name === 'ledger.kind') return { ...found, value: ledgerKind(found.value) }
  if (!isMoney(found.value)) return found
  if (name === 'quote.price') noteUnitByPrice(dialect.units, place, found.value, surePrices(dialect.units, leases))
  if (isInEntry(found.at)) reading?.inEntries.add(`${name} at ${found.at}`)
  return { ...found, value: centsOf(dialect.units, found.value, place, reading) }
}

/** What domains are listed for, in cents, as far as the unit of that is known. */
function surePrices({ amount, at }: Units, leases: ScenarioRun['leases']): number[] {
  return leases.flatMap(({ listed, price }) => {
    const isSure = amount !== null || (listed && (listed.money.unit !== null || at.has(listed.place)))
    return isSure ? [price] : []
  })
}

function bodyValue(json: unknown, name: string): Found {
  const value = atPath(json, name.slice('body.'.length))
  if (value !== undefined) return { found: true, value, at: name }
  return { found: false, why: 'absent', detail: `the answer has no ${name}`, documented: true }
}
