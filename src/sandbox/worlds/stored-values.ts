import { LATEST_MS } from '../../clock/instant.ts'
import { CASE_STATES } from '../../contract/case-states.ts'
import { ENDPOINT_IDS } from '../../contract/endpoints.ts'
import { EVENT_TYPES, TRANSFER_EVENT_TYPES } from '../../contract/event-types.ts'
import { ID_PREFIXES, type IdKind } from '../../contract/ids.ts'
import { ORDER_STATES } from '../../contract/order-states.ts'
import { TALLY_KINDS } from '../coverage/tally.ts'
import { MAGIC_KINDS } from '../inventory/magic.ts'
import type { FormatName } from '../wire/validation.ts'

/** What a value of a column must be: a condition in SQL, true or null where it holds, and the same in words. */
export interface ValueRule {
  readonly sql: (column: string) => string
  readonly says: string
}

/** More of anything than a world can have, and so few that one more is still a whole number. */
const MOST = 1_000_000_000_000_000
const DAY_MS = 86_400_000

function between(least: number, most: number, says = `a number from ${least} to ${most}`): ValueRule {
  return { sql: (column) => `${column} BETWEEN ${least} AND ${most}`, says }
}

function oneOf(values: readonly string[]): ValueRule {
  const list = values.map((value) => `'${value}'`).join(', ')
  return { sql: (column) => `${column} IN (${list})`, says: `one of ${values.join(', ')}` }
}

function id(kind: IdKind): ValueRule {
  const prefix = ID_PREFIXES[kind]
  return {
    sql: (column) =>
      `${column} GLOB '${prefix}?*' AND ${column} NOT GLOB '${prefix}*[^0-9a-z]*' AND length(${column}) <= 64`,
    says: `an id that begins with ${prefix}`,
  }
}

/**
 * What most texts of a format are like, said in SQL alone: there are hundreds of thousands of them in a large world, and a
 * call out of SQLite for each would take seconds.
 */
const MOSTLY: Partial<Record<FormatName, (column: string) => string>> = {
  'exact-domain': (column) =>
    `length(${column}) < 64 AND ${column} GLOB '[a-z0-9]*' AND substr(${column}, -1) NOT IN ('.', '-')
      AND ${column} NOT GLOB '*[^a-z0-9.-]*'
      AND instr(${column}, '..') + instr(${column}, '.-') + instr(${column}, '-.') + instr(${column}, 'xn--') = 0`,
  plain: (column) => `${column} NOT GLOB '*[^ -~]*' AND ${column} GLOB '*[!-~]*'`,
  currency: (column) => `${column} GLOB '[A-Z][A-Z][A-Z]'`,
}

/** Texts of a format that the API asks for; an empty one is `plain`. */
function format(name: FormatName, most: number): ValueRule {
  const mostly = MOSTLY[name] ?? (() => 'false')
  return {
    sql: (column) => `length(${column}) <= ${most} AND iif(${mostly(column)}, true, fits_format('${name}', ${column}))`,
    says: `a text of the format ${name}, of at most ${most} characters`,
  }
}

/** JSON that fits one of the schemas of kept-json.ts. */
function json(schema: string): ValueRule {
  return { sql: (column) => `fits_schema('${schema}', ${column})`, says: 'JSON as the API takes it' }
}

/** For texts that are kept and shown as they came, and for what its CHECK says all of. */
const anyText: ValueRule = { sql: (column) => `length(${column}) <= 1000000`, says: 'of at most 1000000 characters' }
const checked: ValueRule = { sql: () => 'true', says: '' }

const seq = between(1, MOST)
const count = between(0, MOST)
const cents = between(0, Number.MAX_SAFE_INTEGER)
const change = between(-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)
const time = between(0, LATEST_MS, 'an instant of the years 1970 to 9999, in milliseconds')
/** What is to happen a year at most after the end of time. */
const deadline = between(0, LATEST_MS + 366 * DAY_MS, time.says)
/** By the clock that judges signatures, which may be ten years off either way. */
const usedAt = between(-3_660 * DAY_MS, LATEST_MS + 3_660 * DAY_MS, time.says)
/** Domains are older than any world. */
const registeredAt = between(-36_600 * DAY_MS, LATEST_MS, 'an instant of the years 1870 to 9999, in milliseconds')
const domain = format('exact-domain', 253)
const currency = format('currency', 3)
const webUrl = format('web-url', 2_048)
const visible = (most: number) => format('visible', most)
const plain = (most: number) => format('plain', most)
const partner = id('partner')
const eventTypes = oneOf([...EVENT_TYPES, ...TRANSFER_EVENT_TYPES])

/**
 * What each column of each table may hold, beside what the schema itself asks for: what the API would have let in, and what
 * the rules write. A database from outside is judged by it, because what reads rows takes them as they are.
 */
export const STORED_VALUES: Readonly<Record<string, Readonly<Record<string, ValueRule>>>> = {
  // What a world says of itself is judged apart (world-facts.ts).
  meta: { key: plain(64), value: anyText },
  sqlite_sequence: {
    name: oneOf(['faults']),
    seq: { ...count, sql: (c) => `typeof(${c}) = 'integer' AND ${count.sql(c)}` },
  },
  // How the index of listings is set up; SQLite would obey other settings.
  listing_index_config: { k: oneOf(['version']), v: between(4, 4) },
  credentials: {
    ...{ id: seq, key_id: visible(128), secret: visible(256), name: plain(64), partner_id: partner },
    ...{ scopes: { sql: (c) => `fits_scopes(${c})`, says: 'names of scopes with blanks between them' } },
    ...{ affiliate: checked, merchant_of_record: checked, revoked: checked, created_at: time, deleted: checked },
  },
  nonces: { seq, credential: change, nonce: anyText, used_at: usedAt },
  listings: {
    ...{ id: between(-MOST, MOST), domain, price_cents: cents, floor_price_cents: cents, currency, listed: checked },
    ...{ live_site: checked, topics: plain(10_000), registrar: plain(255), registered_at: registeredAt },
    ...{ words: plain(1_000) },
  },
  quotes: {
    ...{ seq, quote_id: id('quote'), partner_id: partner, domain, price_cents: cents, currency, created_at: time },
    ...{ expires_at: deadline, state: checked },
  },
  orders: {
    ...{ seq, public_id: id('order'), partner_id: partner, domain, status: oneOf(ORDER_STATES) },
    ...{ sale_price_cents: cents, currency, payment_model: checked, buyer: json('orderBuyer'), return_url: webUrl },
    ...{ cancel_url: webUrl, quote_id: id('quote'), external_payment_ref: plain(255), commission_cents: cents },
    ...{ created_at: time, updated_at: time, link_id: id('link'), stalls: checked },
  },
  order_timeline: {
    ...{ order_seq: seq, position: seq, status: oneOf(ORDER_STATES), at: time, event_id: id('event'), note: anyText },
    ...{ refund_id: id('refund') },
  },
  events: {
    ...{ seq, id: id('event'), partner_id: partner, type: eventTypes, created_at: time },
    ...{ data: { sql: (c) => `fits_schema(type, ${c})`, says: 'JSON as events of its type have it' } },
  },
  idempotency_keys: {
    ...{ seq, partner_id: visible(100), key: visible(1_024), fingerprint: visible(64), status: checked },
    ...{ body: { sql: (c) => `json_valid(${c})`, says: 'JSON' }, expires_at: deadline },
  },
  settlement_runs: { seq, run_id: id('settlementRun'), ran_at: time, orders: count, event_seq: count },
  webhook_endpoints: {
    ...{ partner_id: partner, url: webUrl, created_at: time, updated_at: time },
    ...{ secret: { sql: (c) => `length(${c}) BETWEEN 16 AND 256`, says: 'of 16 to 256 characters' } },
  },
  deliveries: {
    ...{ seq, delivery_id: id('delivery'), event_seq: seq, partner_id: partner, body: anyText, copy: count },
    ...{ state: checked, attempts: count, scheduled_attempts: count, next_attempt_at: deadline, created_at: time },
  },
  delivery_attempts: {
    ...{ delivery_seq: seq, number: seq, cause: checked, at: time, url: webUrl, signature: anyText },
    ...{ spoilt: between(0, 1), status: between(100, 999), failure: anyText, answer: anyText },
    ...{ took_ms: between(0, MOST), probe: checked },
  },
  links: {
    ...{ seq, link_id: id('link'), partner_id: partner, kind: checked, domain, product: plain(100), created_at: time },
  },
  clicks: { seq, link_id: id('link'), partner_id: partner, at: time },
  refunds: {
    ...{ seq, refund_id: id('refund'), order_seq: seq, partner_id: partner, reason: plain(500), amount_cents: cents },
    ...{ created_at: time },
  },
  checkout_sessions: {
    ...{ seq, session_id: id('checkoutSession'), partner_id: partner, affiliate: checked, domain, return_url: webUrl },
    ...{ cancel_url: webUrl, buyer: sessionBuyer(), link_id: id('link'), state: checked, pays_at: deadline },
    ...{ agreed_price_cents: cents, public_id: id('order'), created_at: time, expires_at: deadline },
  },
  brokerage_cases: {
    ...{ seq, case_id: id('brokerageCase'), partner_id: partner, tier: checked, buyer_email: format('email', 320) },
    ...{ budget_cents: cents, currency, domain, status: checked, deal_price_cents: cents, share_basis_points: checked },
    ...{ partner_cut_cents: cents, closes_at: deadline, created_at: time, updated_at: time },
  },
  brokerage_timeline: {
    ...{ case_seq: seq, position: seq, status: oneOf(CASE_STATES), at: time, event_id: id('event'), note: anyText },
  },
  settlement_statements: {
    ...{ seq, statement_id: id('statement'), run_seq: seq, partner_id: partner, period_start: time, period_end: time },
  },
  payout_runs: { seq, run_id: id('payoutRun'), ran_at: time, event_seq: count },
  payouts: {
    ...{
      seq,
      payout_id: id('payout'),
      run_seq: seq,
      partner_id: partner,
      kind: checked,
      amount_cents: cents,
      currency,
    },
    ...{ paid_at: time },
  },
  sales: {
    ...{ seq, transaction_id: id('transaction'), partner_id: partner, public_id: id('order') },
    ...{ case_id: id('brokerageCase'), domain, payment_model: checked, currency, gross_cents: cents },
    ...{ commission_cents: cents, rate_basis_points: checked, created_at: time },
  },
  ledger_entries: {
    ...{ seq, entry_id: id('ledgerEntry'), sale_seq: seq, partner_id: partner, kind: checked, gross_cents: change },
    ...{ commission_cents: change, due_cents: change, payable_cents: change, unsettled_cents: change },
    ...{ balance_cents: change, statement_seq: seq, payout_seq: seq, created_at: time },
  },
  magic_acts: { domain, act: oneOf(MAGIC_KINDS), at: time },
  faults: {
    ...{ seq, fault_id: id('fault'), endpoint: oneOf(ENDPOINT_IDS), credential: seq, domain, public_id: id('order') },
    ...{ effect: json('faultEffect'), times: seq, probability: checked, seed: plain(200), hits: count },
    ...{ last_request_id: id('request') },
  },
  fault_draws: { fault_id: id('fault'), operation: anyText, draws: count },
  coverage_tallies: {
    ...{ kind: oneOf(TALLY_KINDS), id: anyText, count, first_at: time, last_at: time },
    ...{ detail: tallyDetail() },
  },
}

/** Complete once the buyer has agreed to pay: then it becomes the buyer of an order. */
function sessionBuyer(): ValueRule {
  return {
    sql: (c) =>
      `iif(state IN ('paying', 'paid'), coalesce(fits_schema('payingBuyer', ${c}), false), fits_schema('expectedBuyer', ${c}))`,
    says: 'JSON as checkout sessions of its state have it',
  }
}

function tallyDetail(): ValueRule {
  return {
    sql: (c) => `CASE kind WHEN 'history' THEN fits_schema('readRanges', ${c})
      WHEN 'retry-wrong' THEN fits_schema('wrongRetry', ${c}) ELSE ${c} IS NULL END`,
    says: 'JSON as tallies of its kind have it',
  }
}
