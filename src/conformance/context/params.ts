import type { EndpointId } from '../../contract/endpoints.ts'
import { PAYMENT_MODELS } from '../../contract/payment-models.ts'
import { wordsIn } from '../../contract/words.ts'
import { cursorPairs, DIGITS, isAddress } from '../dialect/place.ts'
import { modelsIn } from '../dialect/words.ts'
import { LIST_OF, nextRoleOf, OPERATIONS } from '../format/step-facts.ts'
import { type Answer, isAccepted } from '../http/exchange.ts'
import { places } from '../http/json-body.ts'
import { isOpen, Open } from '../result/open.ts'
import { noteWith } from '../result/target-addition.ts'
import { callTo } from '../signing/sign-call.ts'
import { OPEN_PARAMS, type OpenParam } from '../target/target-schema.ts'
import { type Caller, createCaller, type Run } from './run.ts'
import { converse } from './send-call.ts'

/** How a service may want its dates, the likeliest first. */
const DATE_FORMS: readonly ((instant: string) => string)[] = [
  (instant) => instant,
  (instant) => instant.slice(0, 'YYYY-MM-DD'.length),
  (instant) => String(Math.floor(Date.parse(instant) / 1_000)),
  (instant) => String(Date.parse(instant)),
]
const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

interface Candidates {
  /** Names that a sensible service might use. */
  names: readonly string[]
  /** A value under which nothing is left of a list; for the length of a page, one that leaves a single item. */
  value: string
  /** One that leaves something: a name that empties a list whatever it says, as an unknown cursor may, does not filter by dates. */
  control?: string
}

const LONG_AGO = '1990-01-01T00:00:00Z'
const FAR_AHEAD = '2999-01-01T00:00:00Z'

/** What a service may call the parameter that takes a cursor. */
export const CURSOR_NAMES = wordsIn('cursor after page_token starting_after next_cursor page[cursor] token next page')

/** What a service may call the parameter for the length of a page. */
export const LIMIT_NAMES = wordsIn('limit page_size per_page count size page[size] first max_results max')

const CANDIDATES: Record<OpenParam, Candidates> = {
  'orders.domain': {
    names: ['domain', 'domain_name', 'name', 'fqdn', 'filter[domain]'],
    value: 'no-such-order.example',
  },
  'orders.from': {
    names: [
      'from',
      'date_from',
      'created_from',
      'from_date',
      'since',
      'start',
      'start_date',
      'created_after',
      'start_time',
      'filter[from]',
    ],
    value: FAR_AHEAD,
    control: LONG_AGO,
  },
  'orders.to': {
    names: [
      'to',
      'date_to',
      'created_to',
      'to_date',
      'until',
      'end',
      'end_date',
      'created_before',
      'end_time',
      'filter[to]',
    ],
    value: LONG_AGO,
    control: FAR_AHEAD,
  },
  'orders.cursor': {
    names: CURSOR_NAMES,
    value: '',
  },
  'orders.limit': { names: LIMIT_NAMES, value: '1' },
  'reports.from': {
    names: ['from', 'date_from', 'from_date', 'since', 'start', 'start_date', 'start_time', 'after'],
    value: FAR_AHEAD,
    control: LONG_AGO,
  },
  'reports.to': {
    names: ['to', 'date_to', 'to_date', 'until', 'end', 'end_date', 'end_time', 'before'],
    value: LONG_AGO,
    control: FAR_AHEAD,
  },
  'reports.cursor': { names: CURSOR_NAMES, value: '' },
  'reports.limit': { names: LIMIT_NAMES, value: '1' },
}

/** Operations whose `from` and `to` the document spells out. */
export const SPELLED_OUT: readonly string[] = ['transactions.list:from', 'transactions.list:to']

/**
 * What the target calls a parameter. The runner finds names by trying: a name is known once it has the effect that it should have. If none has, the runner cannot say
 * whether the target lacks the filter or names it differently, so it judges nothing. That an answer merely changes is not an
 * effect: other scenarios record orders meanwhile.
 *
 * @throws Open (not_run) if no name was found that has an effect.
 */
export async function paramName(run: Run, op: EndpointId, param: string): Promise<string> {
  const open = openParam(op, param)
  if (open === null) return param
  const { settings, params } = run.dialect
  const configured = settings.params[open]
  if (configured !== undefined) return configured
  const key = `${op}:${open}`
  const known = params.get(key) ?? nameWithEffect(run, op, open)
  params.set(key, known)
  const name = await known
  if (name !== null) return name
  // A later try may distinguish what this one could not: there is more to filter then.
  params.delete(key)
  throw Open.notRun(
    'needs-dialect',
    noteWith(`no name was found for the parameter ${param} of ${op}`, { dialect: { params: { [open]: 'NAME' } } }),
  )
}

/** A value as this target takes it: the form of dates is open. @throws Open (not_run) as `paramName`. */
export async function paramValue(run: Run, op: EndpointId, param: string, value: unknown): Promise<string> {
  const isSpelledOut = SPELLED_OUT.includes(`${op}:${param}`)
  const open = isSpelledOut ? (`reports.${param}` as OpenParam) : openParam(op, param)
  if (open?.endsWith('.cursor') && typeof value === 'string' && isAddress(value))
    return cursorOf(value, await paramName(run, op, param))
  if (open === null || typeof value !== 'string' || !INSTANT.test(value)) return String(value)
  const { dateForms } = run.dialect
  const key = `${op}:${open}`
  const form = dateForms.get(key) ?? paramName(run, op, param).then((name) => probeForm(run, op, name, open))
  dateForms.set(key, form)
  return (await form)(value)
}

/** What the address of a next page says of its cursor; the address itself where it says nothing of that name. */
function cursorOf(address: string, name: string): string {
  return cursorPairs(address).find(([key]) => key === name)?.[1] ?? address
}

/** A service that writes its keys in camelCase calls its parameters so, too. */
function inStyleOf(json: unknown, names: readonly string[]): readonly string[] {
  const isCamel = [...places(json)].some(({ key }) => /^[a-z]+[A-Z]/.test(key))
  if (!isCamel) return names
  return [...new Set(names.map((name) => name.replace(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase())))]
}

/**
 * The form of dates that has an effect: a service that counts milliseconds takes seconds, too, and means another day. If none has, it is
 * the first one that is not refused; where there is nothing to filter, it is looked for again next time.
 */
async function probeForm(run: Run, op: EndpointId, name: string, open: OpenParam) {
  const ask = asker(run, op, open)
  const { value, control = value } = CANDIDATES[open]
  const isEmpty = sizeOf(run, await ask([])) === 0
  if (isEmpty) run.dialect.dateForms.delete(`${op}:${open}`)
  let taken: (typeof DATE_FORMS)[number] | undefined
  for (const form of DATE_FORMS) {
    const answer = await ask([[name, form(value)]])
    const controlled = () => ask([[name, form(control)]])
    if (!isEmpty && answer !== null && sizeOf(run, answer) === 0 && sizeOf(run, await controlled()) !== 0) return form
    // What begins after its end, which is today where none is given, is refused in every form.
    if (taken === undefined && (answer !== null || (await controlled()) !== null)) taken = form
    if (isEmpty && taken !== undefined) break
  }
  return taken ?? ((instant: string) => instant)
}

function openParam(op: EndpointId, param: string): OpenParam | null {
  if (SPELLED_OUT.includes(`${op}:${param}`)) return null
  const area =
    op === 'orders.list'
      ? 'orders'
      : OPERATIONS[op].scopes.includes('report') || op === 'settlements.list' || op === 'links.list'
        ? 'reports'
        : null
  const name = `${area}.${param}`
  return Object.hasOwn(OPEN_PARAMS, name) ? (name as OpenParam) : null
}

type Ask = (query: readonly (readonly [string, string])[]) => Promise<Answer | null>

/** Calls an operation; null if it refuses. @param refusals where the refusals go. */
function asker(run: Run, op: EndpointId, open: OpenParam, refusals: unknown[] = []): Ask {
  const caller = createCaller(run, 'discovery', `d_${open}_`)
  return async (query) => {
    const { answer } = await converse(caller, callTo(op, run.credentials.main, query))
    if (isAccepted(answer)) return answer
    refusals.push(answer?.json)
    return null
  }
}

/** Words of a parameter's name that say which one it is. */
const SIGNS_OF_NAMES: Readonly<Record<string, RegExp>> = {
  domain: /domain|fqdn|host/i,
  from: /from|since|after|start|begin|(?:^|[^a-z])(?:min|gte?)(?![a-z])/i,
  to: /to(?![a-z])|until|till|before|(?:^|[^a-z])(?:end|max|lte?)(?![a-z])/i,
  limit: /limit|size|count|per/i,
}

/**
 * Names that refusals give: a service that refuses an unknown parameter often lists the ones that it takes.
 *
 * @example namesInRefusals('from', [{ message: 'unknown parameter from; allowed are status, booked_from' }]) // ['from', 'booked_from']
 */
function namesInRefusals(param: string, refusals: readonly unknown[]): string[] {
  const sign = SIGNS_OF_NAMES[param]
  const texts = refusals.flatMap((json) =>
    [...places(json)].map(({ value }) => (typeof value === 'string' ? value : '')),
  )
  const words = texts
    .flatMap((text) => text.match(/[a-z][\w.-]*(?:\[\w+\])?/gi) ?? [])
    .map((word) => word.replace(/\.$/, ''))
  if (sign === undefined) return []
  const fitting = words.filter((word) => word.length <= LONGEST_NAME && sign.test(word) && !OF_LATER_STEPS.test(word))
  return [...new Set(fitting)].slice(0, MOST_FROM_REFUSALS)
}

/** A hostile target may name anything. */
const LONGEST_NAME = 40

/** Filters by another time than that at which something was recorded. */
const OF_LATER_STEPS = /settl|paid|pay_?out|deliver|updat|modif|chang|transfer|complet|refund|cancel/i

/** More names than any list has of one kind. */
const MOST_FROM_REFUSALS = 12

async function nameWithEffect(run: Run, op: EndpointId, open: OpenParam) {
  const refusals: unknown[] = []
  const ask = asker(run, op, open, refusals)
  if (open.endsWith('.cursor')) return probeCursor(run, op, ask, await limitName(run, op))
  const wanted = open.endsWith('.limit') ? 1 : 0
  const whole = await ask([])
  const plain = sizeOf(run, whole)
  if (plain === null || plain <= wanted) return null
  const { names: usual, value, control: instant } = CANDIDATES[open]
  const control = instant ?? listedDomain(run, op, open, whole)
  const names = inStyleOf(whole?.json, [...usual, ...(await namesByOtherWords(run, open, usual))])
  const forms = instant === undefined ? [String] : DATE_FORMS
  const firstWithEffect = async (candidates: readonly string[]) => {
    for (const name of candidates) {
      for (const form of forms) {
        if (sizeOf(run, await ask([[name, form(value)]])) !== wanted) continue
        if (control === undefined || sizeOf(run, await ask([[name, form(control)]])) !== 0) return name
      }
    }
    return null
  }
  const told = () => namesInRefusals(open.split('.')[1] ?? '', refusals).filter((name) => !names.includes(name))
  return (await firstWithEffect(names)) ?? firstWithEffect(told())
}

/** A domain that leaves something: a filter by the name of the buyer leaves nothing under any domain. */
function listedDomain(run: Run, op: EndpointId, open: OpenParam, whole: Answer | null): string | undefined {
  if (open !== 'orders.domain') return undefined
  const found = run.dialect.find('order.domain', { json: itemsOf(run, whole)?.[0], op })
  return found.found ? String(found.value) : undefined
}

/** Which entries are on each side of an instant. */
const SIDES: Readonly<Record<string, readonly string[]>> = {
  from: ['from', 'since', 'after'],
  to: ['to', 'until', 'before'],
}

/** The same behind the name of a time: in brackets, or after an underscore. */
const COMPARISONS: Readonly<Record<string, readonly string[]>> = {
  from: ['gte', 'gt', 'from', 'after'],
  to: ['lte', 'lt', 'to', 'before'],
}

/** What the target calls the domain in the bodies that it takes. */
async function keysOfDomain({ dialect }: Run): Promise<string[]> {
  const bodies = await Promise.allSettled(dialect.bodies.values())
  const taken = bodies.flatMap((body) => (body.status === 'fulfilled' ? [...places(body.value)] : []))
  return taken.flatMap(({ key, value }) => (value === '${domain}' ? [key] : []))
}

/**
 * Names by what the target calls other things: the filter by domain as the member of its bodies, filters of orders that begin as the key of their time does, or have that key
 * with a comparison, in brackets or not, and all filters in brackets where one of them is.
 *
 * @example await namesByOtherWords(run, 'orders.from', ['from']) // ['placed_from', 'placed_since', 'placed_after'], where orders have placedAt
 */
async function namesByOtherWords(run: Run, open: OpenParam, usual: readonly string[]): Promise<string[]> {
  const { dialect } = run
  if (open === 'orders.domain') return (await keysOfDomain(run)).filter((name) => !usual.includes(name))
  const [area, param = ''] = open.split('.')
  const sides = SIDES[param]
  if (area !== 'orders' || sides === undefined) return []
  const times = dialect.wordsFor('order.created_at')
  const compared = times.flatMap((key) =>
    (COMPARISONS[param] ?? []).flatMap((word) => [`${key}[${word}]`, `${key}_${word}`]),
  )
  const stems = times.flatMap((key) => /^(\w+?)_?(?:at|on|date|time)$/i.exec(key)?.[1] ?? [])
  const dated = stems.flatMap((stem) => sides.map((side) => `${stem}_${side}`))
  const domain = dialect.settings.params['orders.domain'] ?? (await dialect.params.get('orders.list:orders.domain'))
  const bracket = /^\w+(?=\[)/.exec(domain ?? '')?.[0]
  const bracketed = bracket === undefined ? [] : usual.map((name) => `${bracket}[${name}]`)
  return [...dated, ...compared, ...bracketed].filter((name) => !usual.includes(name))
}

/** The name of the parameter for the length of a page; null if none was found, and then pages have the length that they have. */
export async function limitName(run: Run, op: EndpointId): Promise<string | null> {
  try {
    return await paramName(run, op, 'limit')
  } catch (error) {
    if (isOpen(error, 'not_run')) return null
    throw error
  }
}

/**
 * Which parameter in the address of a next page is its cursor: the others are the length of a page, and filters.
 *
 * @example cursorNameIn([['$top', '40'], ['$skiptoken', 'e7']]) // '$skiptoken'
 */
export function cursorNameIn(pairs: readonly (readonly [string, string])[]): string | undefined {
  const names = pairs.map(([name]) => name)
  const others = names.filter((name) => !/limit|size|per_?page|^\$?(?:top|take|count|first)$/i.test(name))
  return (
    others.find((name) => /cursor|token|marker/i.test(name)) ??
    others.find((name) =>
      /^(?:page\[)?\$?(?:starting_?after|after|before|next|page|skip|offset|start)(?:_?id)?\]?$/i.test(name),
    ) ??
    others.at(-1) ??
    names.at(-1)
  )
}

/** A cursor is followed once the page after it has another order than the first page, which itself has stayed the same. */
async function probeCursor(run: Run, op: EndpointId, ask: Ask, limit: string | null): Promise<string | null> {
  const short = limit === null ? [] : [[limit, '1'] as const]
  const firstPage = async () => ask(short)
  const itemOn = (answer: Answer | null) => JSON.stringify(itemsOf(run, answer)?.[0])
  for (const name of inStyleOf((await firstPage())?.json, CURSOR_NAMES)) {
    const before = await firstPage()
    if (!before) return null
    const next = run.dialect.find(nextRoleOf(op), before)
    if (!next.found) return null
    const cursor = String(next.value)
    // An address says itself what its cursor is called.
    if (isAddress(cursor)) return cursorNameIn(cursorPairs(cursor).filter(([key]) => key !== limit)) ?? null
    const behind = itemOn(await ask([...short, [name, cursor]]))
    const same = itemOn(await firstPage()) === itemOn(before)
    if (same && behind !== undefined && behind !== itemOn(before)) return name
  }
  return null
}

/** The items of the list that an operation answers with; null if it has none. */
function itemsOf(run: Run, answer: Answer | null): readonly unknown[] | null {
  const list = answer?.op ? LIST_OF[answer.op] : undefined
  if (!answer || list === undefined) return null
  const found = run.dialect.find<readonly unknown[]>(list, answer)
  return found.found ? found.value : null
}

/** Keys whose number is a name and counts nothing. */
const ID_KEY = /(?:^|_)id$|Id$/

/** How much an answer holds: its items, or where it only counts, all its numbers together, but for those of ids. */
function sizeOf(run: Run, answer: Answer | null): number | null {
  if (!answer) return null
  if (answer.op && LIST_OF[answer.op] !== undefined) return itemsOf(run, answer)?.length ?? null
  const numbers = [...places(answer.json)].flatMap(({ key, value }) =>
    (typeof value === 'number' || DIGITS.test(String(value))) && !ID_KEY.test(key) ? [Math.abs(Number(value))] : [],
  )
  return numbers.length === 0 ? null : numbers.reduce((sum, number) => sum + number, 0)
}

/** Reads the transactions once for the target's names of the models, if neither the target file nor an answer gives them all. */
export async function learnPaymentModels(caller: Caller): Promise<void> {
  const { dialect, credentials } = caller.run
  const known = { ...modelsIn(dialect.words.get('transaction.payment_model')), ...dialect.settings.paymentModels }
  if (PAYMENT_MODELS.some((model) => known[model] === undefined))
    await converse(caller, callTo('transactions.list', credentials.main))
}
