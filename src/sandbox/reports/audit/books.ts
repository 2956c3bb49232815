import { UNDONE_STATES } from '../../../contract/order-states.ts'

/** A query over the rows of a table, some at a time (those after `@after`, up to `@to`); without a table, over all at once. */
interface Pass {
  readonly over?: string
  readonly sql: string
}

export const some = (table: string) => `${table}.rowid > @after AND ${table}.rowid <= @to`

/**
 * The database of an audit. Moments (`born` to `undone`, `last_event`) are numbers of events, which have an order also
 * where the clock stands still.
 */
export const TABLES = `
  -- What happened to each order and each closed deal, by its events, beside what its own row says.
  CREATE TABLE history (id TEXT PRIMARY KEY, partner TEXT, model TEXT, domain TEXT, born INTEGER, payable INTEGER,
    settled INTEGER, undone INTEGER, refund TEXT, price INTEGER, least_price INTEGER, most_price INTEGER,
    row_price INTEGER, commission INTEGER, row_commission INTEGER, rate INTEGER, reached TEXT, status TEXT);
  CREATE INDEX history_of_domain ON history (domain) WHERE domain IS NOT NULL;
  CREATE VIEW reported AS SELECT rowid, *, model = 'partner_collected' AS own FROM history WHERE price IS NOT NULL;
  CREATE TABLE settlement_run (run INTEGER PRIMARY KEY, last_event INTEGER);
  CREATE INDEX settlement_run_of_event ON settlement_run (last_event, run);
  CREATE TABLE payout_run (run INTEGER PRIMARY KEY, last_event INTEGER);
  CREATE INDEX payout_run_of_event ON payout_run (last_event, run);

  -- What was written down: sales with the sums of their lines, and what runs wrote.
  CREATE TABLE sale (id TEXT PRIMARY KEY, partner TEXT, model TEXT, rate INTEGER, gross INTEGER, commission INTEGER,
    due INTEGER, payable INTEGER, unsettled INTEGER, entries INTEGER, strangers INTEGER, statement INTEGER,
    kept_gross INTEGER, kept_commission INTEGER, all_gross INTEGER, all_commission INTEGER);
  CREATE TABLE run_line (statement INTEGER, payout INTEGER, due INTEGER, unsettled INTEGER, gross INTEGER,
    commission INTEGER);
  CREATE INDEX run_line_of_statement ON run_line (statement) WHERE statement IS NOT NULL;
  CREATE INDEX run_line_of_payout ON run_line (payout) WHERE payout IS NOT NULL;
  CREATE TABLE entry (seq INTEGER, balance INTEGER, found INTEGER);
  CREATE TABLE partner (id TEXT PRIMARY KEY, balance INTEGER);
  CREATE TABLE refund (id TEXT PRIMARY KEY, sold TEXT, amount INTEGER);
  CREATE TABLE statement (seq INTEGER PRIMARY KEY, id TEXT, run INTEGER, partner TEXT, UNIQUE (run, partner));
  CREATE TABLE payout (seq INTEGER PRIMARY KEY, id TEXT, run INTEGER, partner TEXT, kind TEXT, amount INTEGER);

  -- What follows from the histories.
  CREATE TABLE earned (id TEXT, partner TEXT, kind TEXT, run INTEGER, cents INTEGER);
  CREATE INDEX earned_by ON earned (id);
  CREATE TABLE due_payout (run INTEGER, partner TEXT, kind TEXT, cents INTEGER, PRIMARY KEY (partner, kind, run));
  CREATE TABLE expected (id TEXT PRIMARY KEY, partner TEXT, gross INTEGER, commission INTEGER, due INTEGER,
    payable INTEGER, unsettled INTEGER, entries INTEGER, stated_in INTEGER, adjusted_in INTEGER);
  CREATE INDEX expected_of ON expected (partner, due);
  CREATE TABLE due_statement (run INTEGER, partner TEXT, gross INTEGER, commission INTEGER, adjustment INTEGER,
    orders INTEGER, PRIMARY KEY (run, partner));
`

/** The amounts of a line of the ledger. */
export const AMOUNTS = ['gross', 'commission', 'due', 'payable', 'unsettled']

/** Up to which row of each table of the world an audit looks, so that what happens meanwhile is not half in it. */
const extentOf = (tables: Iterable<string>) =>
  `SELECT ${[...tables].map((table) => `(SELECT coalesce(max(rowid), 0) FROM ${table}) AS ${table}`)}`

/** What is read of the world, each into a table of the audit. */
export const COPIES: readonly (Required<Pass> & { into: string })[] = [
  {
    into: 'history',
    over: 'orders',
    sql: `SELECT public_id, orders.partner_id, payment_model, domain, min(event.seq),
        iif(@payableFrom = 'the sale', min(event.seq),
          min(event.seq) FILTER (WHERE step.status = 'TRANSFER_COMPLETED')),
        min(event.seq) FILTER (WHERE step.status = 'SETTLED'),
        min(event.seq) FILTER (WHERE step.status IN ('${UNDONE_STATES.join("', '")}')),
        max(refund_id) FILTER (WHERE event.seq IS NOT NULL),
        max(event.price) FILTER (WHERE position = 1), min(event.price), max(event.price), sale_price_cents,
        commission_cents, commission_cents, NULL,
        (SELECT status FROM order_timeline WHERE order_seq = orders.seq ORDER BY position DESC LIMIT 1), orders.status
      FROM orders LEFT JOIN order_timeline AS step ON order_seq = orders.seq
      LEFT JOIN (SELECT seq, data ->> '$.order.sale_price_cents' AS price FROM events) AS event
        ON event.seq = event_seq AND event_seq <= @events
      WHERE ${some('orders')} GROUP BY orders.seq`,
  },
  {
    into: 'history',
    over: 'brokerage_cases',
    sql: `SELECT case_id, deal.partner_id, 'brokerage', NULL, event.seq, event.seq, NULL, NULL, NULL,
        data ->> '$.case.deal_price_cents', NULL, NULL, deal_price_cents,
        data ->> '$.case.partner_cut_cents', partner_cut_cents, share_basis_points, NULL, NULL
      FROM brokerage_cases AS deal JOIN brokerage_timeline AS step ON case_seq = deal.seq AND step.status = 'DEAL_CLOSED'
      LEFT JOIN events AS event ON event.seq = event_seq
      WHERE ${some('deal')} AND (event.seq IS NULL OR event.seq <= @events)`,
  },
  {
    into: 'sale',
    over: 'sales',
    sql: `SELECT coalesce((SELECT public_id FROM orders WHERE orders.seq = order_seq), case_id), sales.partner_id,
        payment_model, rate_basis_points, ${AMOUNTS.map(
          (amount) => `coalesce(sum(line.${amount}_cents) FILTER (WHERE line.seq <= @ledger_entries), 0)`,
        ).join(', ')},
        count(line.seq) FILTER (WHERE line.seq <= @ledger_entries),
        coalesce(sum(line.partner_id <> sales.partner_id), 0),
        max(statement_seq) FILTER (WHERE line.seq <= @ledger_entries AND unsettled_cents <= 0),
        sales.gross_cents, sales.commission_cents,
        coalesce(sum(line.gross_cents), 0), coalesce(sum(line.commission_cents), 0)
      FROM sales LEFT JOIN ledger_entries AS line ON line.sale_seq = sales.seq
      WHERE ${some('sales')} GROUP BY sales.seq`,
  },
  {
    into: 'run_line',
    over: 'ledger_entries',
    sql: `SELECT statement_seq, payout_seq, due_cents, unsettled_cents,
        (SELECT gross_cents FROM ledger_entries WHERE sale_seq = line.sale_seq AND gross_cents > 0),
        (SELECT commission_cents FROM ledger_entries WHERE sale_seq = line.sale_seq AND gross_cents > 0)
      FROM ledger_entries AS line
      WHERE ${some('line')} AND (statement_seq IS NOT NULL OR payout_seq IS NOT NULL)`,
  },
  {
    // Only lines whose balance does not continue that of the line before.
    into: 'entry',
    over: 'ledger_entries',
    sql: `SELECT seq, due_cents + coalesce((SELECT balance_cents FROM ledger_entries AS earlier
          WHERE earlier.partner_id = line.partner_id AND earlier.seq < line.seq ORDER BY seq DESC LIMIT 1), 0) AS balance,
        balance_cents
      FROM ledger_entries AS line WHERE ${some('line')} AND balance <> balance_cents`,
  },
  {
    into: 'partner',
    over: 'credentials',
    sql: `SELECT partner_id, coalesce((SELECT balance_cents FROM ledger_entries AS line
          WHERE line.partner_id = credentials.partner_id AND seq <= @ledger_entries ORDER BY seq DESC LIMIT 1), 0)
      FROM credentials
      WHERE ${some('credentials')} AND id = (SELECT min(id) FROM credentials AS same WHERE same.partner_id = credentials.partner_id)`,
  },
  {
    into: 'refund',
    over: 'refunds',
    sql: `SELECT refund_id, public_id, amount_cents FROM refunds JOIN orders ON orders.seq = order_seq
      WHERE ${some('refunds')}`,
  },
  {
    into: 'settlement_run',
    over: 'settlement_runs',
    sql: `SELECT seq, event_seq FROM settlement_runs WHERE ${some('settlement_runs')}`,
  },
  {
    into: 'statement',
    over: 'settlement_statements',
    sql: `SELECT seq, statement_id, run_seq, partner_id FROM settlement_statements WHERE ${some('settlement_statements')}`,
  },
  {
    into: 'payout_run',
    over: 'payout_runs',
    sql: `SELECT seq, event_seq FROM payout_runs WHERE ${some('payout_runs')}`,
  },
  {
    into: 'payout',
    over: 'payouts',
    sql: `SELECT seq, payout_id, run_seq, partner_id, kind, amount_cents FROM payouts WHERE ${some('payouts')}`,
  },
]

export const EXTENT = extentOf(new Set(['events', ...COPIES.map(({ over }) => over)]))

/** The first run that knew of an event. */
const runOf = (table: 'settlement_run' | 'payout_run', event: string) =>
  `(SELECT run FROM ${table} WHERE last_event >= ${event} ORDER BY last_event, run LIMIT 1)`

/** What must be written down, worked out from the histories and the runs. */
export const DERIVATIONS: readonly (Pass & { into: string })[] = [
  {
    // A commission may be paid from some moment on; undoing takes back what could already be paid.
    into: 'earned',
    over: 'history',
    sql: `SELECT id, partner, iif(model = 'brokerage', 'brokerage', 'commission'),
        ${runOf('payout_run', 'iif(sign = 1, payable, undone)')}, sign * commission
      FROM reported JOIN (SELECT 1 AS sign UNION SELECT -1)
      WHERE ${some('reported')} AND NOT own AND payable IS NOT NULL AND (sign = 1 OR undone IS NOT NULL)`,
  },
  {
    // A run pays what has been earned until then, as far as it is more than what all runs before it have paid.
    into: 'due_payout',
    sql: `WITH total AS (
        SELECT partner, kind, run, sum(sum(cents)) OVER (PARTITION BY partner, kind ORDER BY run) AS cents
        FROM earned WHERE run IS NOT NULL GROUP BY partner, kind, run),
      paid AS (
        SELECT partner, kind, run, max(0, max(cents) OVER (PARTITION BY partner, kind ORDER BY run)) AS cents FROM total),
      due AS (
        SELECT run, partner, kind, cents - lag(cents, 1, 0) OVER (PARTITION BY partner, kind ORDER BY run) AS cents FROM paid)
      SELECT * FROM due WHERE cents > 0`,
  },
  {
    // A partner that collected the money keeps its commission, and owes the rest until a statement has said so.
    into: 'expected',
    over: 'history',
    sql: `WITH stated AS (
        SELECT reported.*, undone IS NULL AS stands, iif(own, price - commission, 0) AS owed,
          iif(own, ${runOf('settlement_run', 'settled')}, NULL) AS stated_in,
          iif(own AND settled, ${runOf('settlement_run', 'undone')}, NULL) AS adjusted_in
        FROM reported WHERE ${some('reported')}),
      part AS (
        SELECT id, cents, (SELECT run FROM due_payout WHERE due_payout.partner = earned.partner
          AND due_payout.kind = earned.kind AND due_payout.run >= earned.run ORDER BY run LIMIT 1) AS paid_in
        FROM earned)
      SELECT stated.id, partner, stands * price, stands * commission,
        (1 - own) * stands * commission - coalesce(sum(cents) FILTER (WHERE paid_in IS NOT NULL), 0),
        coalesce(sum(cents) FILTER (WHERE paid_in IS NULL), 0),
        owed * (stands - (stated_in IS NOT NULL) + (adjusted_in IS NOT NULL)),
        1 + (1 - stands) + (stated_in IS NOT NULL) + (adjusted_in IS NOT NULL AND owed > 0)
          + 2 * (NOT own AND payable IS NOT NULL)
          -- What came and went between two runs leaves no line.
          + (commission > 0) * count(paid_in) * (count(paid_in) < 2 OR min(paid_in) <> max(paid_in)),
        stated_in, adjusted_in
      FROM stated LEFT JOIN part USING (id) GROUP BY stated.id`,
  },
  {
    // An order is in the statement of the run that settled it; what undid it later is in that of the run after.
    into: 'due_statement',
    sql: `SELECT run, partner, sum(gross), sum(commission), sum(adjustment), sum(orders) FROM (
        SELECT stated_in AS run, partner, price AS gross, history.commission, 0 AS adjustment, 1 AS orders
        FROM expected JOIN history USING (id, partner) WHERE stated_in IS NOT NULL
        UNION ALL
        SELECT adjusted_in, partner, 0, 0, history.commission - price, 0
        FROM expected JOIN history USING (id, partner) WHERE adjusted_in IS NOT NULL)
      GROUP BY run, partner`,
  },
]

/** How much an audit looked at. */
export const COUNTS = `SELECT @orders AS orders, @brokerage_cases AS cases, @sales AS sales, @ledger_entries AS entries,
  (SELECT count(*) FROM statement) AS statements, (SELECT count(*) FROM payout) AS payouts,
  (SELECT count(*) FROM reported WHERE undone IS NOT NULL) AS undone, (SELECT count(*) FROM refund) AS undoneByPartner`
