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
const nonce: ValueRule = {
  sql: (column) => `typeof(${column}) IN ('text', 'blob') AND length(${column}) <= 1000000`,
  says: 'a text, or the bytes of a UUID',
}
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
const visible = (most: number) => format('visible', most)
const plain = (most: number) => format('plain', most)
/** Complete once the buyer has agreed to pay: then it becomes the buyer of an order. */
const sessionBuyer: ValueRule = {
  sql: (c) =>
    `iif(state IN ('paying', 'paid'), coalesce(fits_schema('payingBuyer', ${c}), false), fits_schema('expectedBuyer', ${c}))`,
  says: 'JSON as checkout sessions of its state have it',
}
const tallyDetail: ValueRule = {
  sql: (c) => `CASE kind WHEN 'history' THEN fits_schema('readRanges', ${c})
      WHEN 'retry-wrong' THEN fits_schema('wrongRetry', ${c})
      -- Snapshots of before have one for a right retry too; it is never read.
      WHEN 'retry-right' THEN ${c} IS NULL OR json_valid(${c}) ELSE ${c} IS NULL END`,
  says: 'JSON as tallies of its kind have it',
}

/**
 * What columns of these names hold, beside what the schema itself asks for: what the API would have let in, and what the
 * rules write. A database from outside is judged by it, because what reads rows takes them as they are.
 *
 * `table.column` stands for the column of one table that differs from others of its name.
 */
const RULES: readonly [rule: ValueRule, columns: string][] = [
  [
    seq,
    'seq id number position times order_seq quote_seq delivery_seq case_seq run_seq sale_seq statement_seq payout_seq',
  ],
  [seq, 'deliveries.event_seq order_timeline.event_seq brokerage_timeline.event_seq faults.credential'],
  [count, 'event_seq orders copy attempts scheduled_attempts took_ms hits draws count'],
  [between(-MOST, MOST), 'listings.id'],
  [
    cents,
    'price_cents floor_price_cents sale_price_cents agreed_price_cents amount_cents gross_cents commission_cents',
  ],
  [cents, 'budget_cents deal_price_cents partner_cut_cents'],
  [change, 'ledger_entries.gross_cents ledger_entries.commission_cents due_cents payable_cents unsettled_cents'],
  [change, 'balance_cents credential'],
  [time, 'created_at updated_at at ran_at period_start period_end paid_at first_at last_at'],
  [deadline, 'expires_at next_attempt_at pays_at closes_at'],
  [usedAt, 'used_at earliest_at'],
  [registeredAt, 'registered_at'],
  [format('currency', 3), 'currency'],
  [format('exact-domain', 253), 'domain'],
  [format('email', 320), 'buyer_email'],
  [format('web-url', 2_048), 'url return_url cancel_url'],
  [visible(64), 'fingerprint'],
  [visible(100), 'idempotency_keys.partner_id'],
  [visible(128), 'key_id'],
  [visible(256), 'secret'],
  [visible(1_024), 'idempotency_keys.key'],
  [plain(64), 'key credentials.name'],
  [plain(100), 'product'],
  [plain(200), 'seed'],
  [plain(255), 'registrar external_payment_ref'],
  [plain(500), 'reason'],
  [plain(1_000), 'words'],
  [plain(10_000), 'topics'],
  [nonce, 'nonce'],
  [anyText, 'value note signature failure answer operation deliveries.body coverage_tallies.id'],
  [checked, 'affiliate merchant_of_record revoked deleted listed live_site payment_model stalls state kind tier'],
  [checked, 'cause probe probability share_basis_points rate_basis_points'],
  [checked, 'idempotency_keys.status brokerage_cases.status'],
  [id('partner'), 'partner_id'],
  [id('order'), 'public_id'],
  [id('refund'), 'refund_id'],
  [id('link'), 'link_id'],
  [id('checkoutSession'), 'session_id'],
  [id('brokerageCase'), 'case_id'],
  [id('statement'), 'statement_id'],
  [id('settlementRun'), 'run_id'],
  [id('payoutRun'), 'payout_runs.run_id'],
  [id('payout'), 'payout_id'],
  [id('delivery'), 'delivery_id'],
  [id('fault'), 'fault_id'],
  [id('request'), 'last_request_id'],
  [oneOf(ORDER_STATES), 'status'],
  [oneOf(CASE_STATES), 'brokerage_timeline.status'],
  [between(100, 999), 'delivery_attempts.status'],
  [between(0, 1), 'spoilt'],
  [oneOf([...EVENT_TYPES, ...TRANSFER_EVENT_TYPES]), 'type'],
  [oneOf(ENDPOINT_IDS), 'endpoint'],
  [oneOf(MAGIC_KINDS), 'act'],
  [oneOf(TALLY_KINDS), 'coverage_tallies.kind'],
  [{ sql: (c) => `fits_scopes(${c})`, says: 'names of scopes with blanks between them' }, 'scopes'],
  [{ sql: (c) => `length(${c}) BETWEEN 16 AND 256`, says: 'of 16 to 256 characters' }, 'webhook_endpoints.secret'],
  [json('orderBuyer'), 'buyer'],
  [sessionBuyer, 'checkout_sessions.buyer'],
  [json('faultEffect'), 'effect'],
  [{ sql: (c) => `fits_schema(type, ${c})`, says: 'JSON as events of its type have it' }, 'data'],
  [{ sql: (c) => `json_valid(${c})`, says: 'JSON' }, 'body'],
  [tallyDetail, 'detail'],
  [oneOf(['faults']), 'name'],
  [{ ...count, sql: (c) => `typeof(${c}) = 'integer' AND ${count.sql(c)}` }, 'sqlite_sequence.seq'],
  // How the index of listings is set up; SQLite would obey other settings.
  [oneOf(['version']), 'k'],
  [between(4, 4), 'v'],
]

const BY_COLUMN = new Map(
  RULES.flatMap(([rule, columns]) => columns.split(' ').map((column) => [column, rule] as const)),
)

/** By `column` or `table.column`. */
export const RULED_COLUMNS: readonly string[] = [...BY_COLUMN.keys()]

export function ruleOf(table: string, column: string): ValueRule {
  const rule = BY_COLUMN.get(`${table}.${column}`) ?? BY_COLUMN.get(column)
  if (!rule) throw new Error(`there is no rule for the values of ${table}.${column}`)
  return rule
}
