// The state that every endpoint of a foreign server shares: environments, partners, credentials, clock and refusals.
// Written from the API document alone, with no code of this repository: the conformance runner is judged by it.
import { createHash, randomBytes } from 'node:crypto'
import { makeInventory } from './inventory.mjs'

export const SCOPES = ['search', 'embed', 'buy', 'broker', 'refer', 'report', 'webhook']

export class Refusal extends Error {
  constructor(code, message, extra = {}) {
    super(message)
    Object.assign(this, { code, ...extra })
  }
}

export const notFound = (what) => new Refusal('not_found', `${what} not found.`)

const PARTNERS = [
  { id: 'ptr_1main', affiliate: true },
  { id: 'ptr_2other', affiliate: true },
  { id: 'ptr_3unlinked', affiliate: false },
]

// name, partner, environment, scopes
const CREDENTIALS = [
  ['main', 'ptr_1main', 'sandbox', SCOPES],
  ['other', 'ptr_2other', 'sandbox', SCOPES],
  ['unlinked', 'ptr_3unlinked', 'sandbox', SCOPES],
  ['second_environment', 'ptr_1main', 'test', SCOPES],
  ['no_scope', 'ptr_1main', 'sandbox', []],
  ...SCOPES.map((scope) => [`only_${scope}`, 'ptr_1main', 'sandbox', [scope]]),
]

export function createService(personality, { defect, seed = 1, lagOf = () => undefined } = {}) {
  const digest = (text) => createHash('sha256').update(`${seed}:${text}`).digest('hex')
  let moved = 0
  const wall = () => Date.now() + (personality.clockOffMs ?? 0)
  const environment = (name) => ({
    name,
    listings: makeInventory(seed, name, personality.inventorySize, personality.oddCents),
    ...{ quotes: [], orders: [], sessions: [], sales: [], cases: [], links: [], clicks: [], ledger: [], payouts: [] },
    ...{ statements: [], refunds: [], events: [], hooks: new Map(), idempotency: new Map() },
    settledAt: wall() - 30 * 86_400_000,
  })
  return {
    choices: personality,
    lagOf,
    broken: (name) => name === defect,
    clock: { wall, now: () => wall() + moved, advance: (seconds) => (moved += seconds * 1000) },
    partners: new Map(PARTNERS.map((partner) => [partner.id, partner])),
    environments: { sandbox: environment('sandbox'), test: environment('test') },
    credentials: new Map(
      CREDENTIALS.map(([name, partner, env, scopes]) => {
        const keyId = `pk_${env}_${digest(`key ${name}`).slice(0, 20)}`
        return [
          keyId,
          { name, keyId, secret: `sk_${env}_${digest(`secret ${name}`).slice(0, 40)}`, partner, env, scopes },
        ]
      }),
    ),
    pageKey: digest('page key'),
    nonces: new Map(),
    calls: new Map(),
    rateLimit: personality.rateLimit,
    failNext: 0,
    working: 0,
    timers: new Set(),
    closed: false,
  }
}

/** How far back a broken variant shows what happened. */
export const monthAgo = (service) => service.clock.now() - 30 * 86_400_000

let made = 0
/** An id that cannot be guessed; it grows with time, unless the personality makes ids of its own. */
export const newId = ({ choices }, prefix) =>
  choices.newId?.(prefix, ++made) ??
  `${prefix}_${(++made).toString(36).padStart(5, '0')}${randomBytes(5).toString('hex')}`

/** Runs `work` later, unless the server has been closed. */
export function later(service, ms, work) {
  if (ms <= 0) return work()
  const timer = setTimeout(() => {
    service.timers.delete(timer)
    if (!service.closed) work()
  }, ms)
  service.timers.add(timer)
}

/** Rows that a list may show already: what its lag has not let through yet is left out. */
export function visible({ choices, clock, lagOf }, rows, list) {
  const usual = list === 'orders' ? choices.ordersLagMs : choices.reportLagMs
  const until = clock.wall() - (lagOf(list) ?? usual ?? 0)
  return rows.filter((row) => (row.wallAt ?? 0) <= until)
}

/** `rules` are [name, value, required, test, what it must be]; every fault is named in one message. */
export function validate(service, rules) {
  const faults = rules.flatMap(([name, value, required, test, must]) => {
    if (value === undefined || value === null) return required ? [`${name} is required`] : []
    return test(value) ? [] : [`${name} must be ${must}`]
  })
  if (faults.length === 0) return
  const outer = faults.filter((fault) => !/^\w+\.\w/u.test(fault))
  if (outer.length > 0 && service.broken('nested_faults_unnamed'))
    throw new Refusal('validation_error', `${outer.join('; ')}.`)
  throw new Refusal(
    'validation_error',
    `${(service.broken('first_fault_only') ? faults.slice(0, 1) : faults).join('; ')}.`,
  )
}

export const is = {
  text: (value) => typeof value === 'string' && value.trim() !== '' && value.length <= 500,
  domain: (value) => typeof value === 'string' && /^[^\s/]+\.[^\s/]+$/u.test(value) && value.length <= 253,
  email: (value) => typeof value === 'string' && /^[^\s@]+@[^\s@]+\.[^\s@]+$/u.test(value),
  url: (value) => typeof value === 'string' && /^https?:\/\/[^\s]+$/u.test(value) && URL.canParse(value),
  country: (value) => typeof value === 'string' && /^[A-Z]{2}$/u.test(value),
  whole: (value) => Number.isSafeInteger(value) && value > 0,
  amount: (value) => typeof value === 'number' && Number.isFinite(value) && value > 0,
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
}

/** `cursor` is the id of the last row of the page before. */
export function pageOf(rows, { cursor, limit, defaultSize, maximum, idOf, leadsOn }) {
  if (limit !== undefined && !/^[1-9]\d{0,8}$/u.test(limit)) {
    throw new Refusal('validation_error', 'The page size must be a positive integer.')
  }
  const size = Math.min(limit === undefined ? defaultSize : Number(limit), maximum)
  const from = cursor === undefined ? 0 : rows.findIndex((row) => String(idOf(row)) === cursor) + 1
  if (cursor !== undefined && from === 0) throw new Refusal('validation_error', 'The cursor is not known.')
  const page = rows.slice(from, from + size)
  const isMore = leadsOn ? page.length === size : from + size < rows.length
  return { page, next: isMore ? idOf(page.at(-1)) : null }
}

/** Reads a moment of a query: a day or a moment. A day as an end means the whole day. */
export function moment(text, name, isEnd, { onlyDays, endsBefore } = {}) {
  if (text === undefined || text === '') return undefined
  const day = /^\d{4}-\d\d-\d\d$/u.test(text)
  const at = Date.parse(text)
  if (Number.isNaN(at) || !/^\d{4}-/u.test(text))
    throw new Refusal('validation_error', `${name} must be an ISO 8601 date.`)
  if (onlyDays && !day) throw new Refusal('validation_error', `${name} must be a day, as in 2026-01-31.`)
  if (endsBefore && isEnd) return at - 1
  return day && isEnd ? at + 86_400_000 - 1 : at
}

export const within = (at, from, to) => (from === undefined || at >= from) && (to === undefined || at <= to)
