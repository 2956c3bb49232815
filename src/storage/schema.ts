import { ORDER_STATES } from '../contract/order-states.ts'

/** Marks a file as ours in its header: "PSbx". */
export const APPLICATION_ID = 0x50536278

/** The schema version of {@link SCHEMA}; a database of another one is refused, since no release ever wrote one. */
export const SCHEMA_VERSION = 7

function listOf(values: readonly string[]): string {
  return values.map((value) => `'${value}'`).join(', ')
}

/**
 * The tables of a world. STRICT types, checks and unique indexes are the last line of defense behind the rules: a domain
 * cannot be sold twice nor a key record two orders, even if the code above is wrong. Quotes, events, sales and lines of the ledger have no
 * column for their id: it is their row number, written by Chance.id of sandbox/kernel. A database from outside must have exactly these
 * tables, and no row that a check refuses.
 */
export const SCHEMA = `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

  CREATE TABLE credentials (
    id INTEGER PRIMARY KEY,
    key_id TEXT NOT NULL UNIQUE CHECK (key_id LIKE 'pk\\_%' ESCAPE '\\'),
    secret TEXT NOT NULL CHECK (secret LIKE 'sk\\_%' ESCAPE '\\'),
    name TEXT NOT NULL,
    partner_id TEXT NOT NULL CHECK (partner_id LIKE 'ptr\\_%' ESCAPE '\\'),
    scopes TEXT NOT NULL,
    affiliate INTEGER NOT NULL CHECK (affiliate IN (0, 1)),
    merchant_of_record INTEGER NOT NULL CHECK (merchant_of_record IN (0, 1)),
    revoked INTEGER NOT NULL CHECK (revoked IN (0, 1)),
    created_at INTEGER NOT NULL,
    -- A credential that was deleted opens nothing any more; its partner, and the row number behind its nonces, stay.
    deleted INTEGER NOT NULL DEFAULT 0 CHECK (deleted IN (0, 1))
  ) STRICT;

  CREATE TABLE nonces (
    seq INTEGER PRIMARY KEY,
    credential INTEGER NOT NULL,
    nonce TEXT NOT NULL,
    used_at INTEGER NOT NULL,
    UNIQUE (credential, nonce)
  ) STRICT;
  CREATE INDEX nonces_by_use ON nonces (used_at);

  CREATE TABLE listings (
    id INTEGER PRIMARY KEY,
    domain TEXT NOT NULL UNIQUE,
    price_cents INTEGER NOT NULL CHECK (price_cents > 0),
    floor_price_cents INTEGER NOT NULL CHECK (floor_price_cents > 0 AND floor_price_cents <= price_cents),
    currency TEXT NOT NULL,
    listed INTEGER NOT NULL CHECK (listed IN (0, 1)),
    live_site INTEGER NOT NULL CHECK (live_site IN (0, 1)),
    topics TEXT NOT NULL,
    registrar TEXT NOT NULL,
    registered_at INTEGER NOT NULL,
    -- The words of the name, apart from each other, for search; empty for names that search does not know.
    words TEXT NOT NULL
  ) STRICT;

  -- Which listing has which word in its name and which topic (inventory/lexicon.ts). Rows are listings.id. Positions
  -- and text are left out: search asks only for "which rows", and reads the rows themselves.
  CREATE VIRTUAL TABLE listing_index USING fts5 (
    terms, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
  );

  CREATE TABLE quotes (
    seq INTEGER PRIMARY KEY,
    partner_id TEXT NOT NULL,
    domain TEXT NOT NULL,
    price_cents INTEGER NOT NULL CHECK (price_cents > 0),
    currency TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('open', 'used', 'expired', 'replaced'))
  ) STRICT;
  CREATE UNIQUE INDEX quotes_reserve_once ON quotes (domain) WHERE state = 'open';
  CREATE INDEX quotes_due ON quotes (expires_at) WHERE state = 'open';

  CREATE TABLE orders (
    seq INTEGER PRIMARY KEY,
    public_id TEXT NOT NULL UNIQUE,
    partner_id TEXT NOT NULL,
    domain TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN (${listOf(ORDER_STATES)})),
    sale_price_cents INTEGER NOT NULL CHECK (sale_price_cents > 0),
    currency TEXT NOT NULL,
    payment_model TEXT NOT NULL CHECK (payment_model IN ('partner_collected', 'hosted_checkout')),
    buyer TEXT NOT NULL CHECK (json_valid(buyer)),
    return_url TEXT,
    cancel_url TEXT,
    quote_seq INTEGER REFERENCES quotes (seq),
    external_payment_ref TEXT,
    commission_cents INTEGER NOT NULL CHECK (commission_cents >= 0 AND commission_cents <= sale_price_cents),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    link_id TEXT REFERENCES links (link_id),
    -- Orders that go on by themselves where the world has automatic progress; stalls-N does not.
    stalls INTEGER NOT NULL DEFAULT 0 CHECK (stalls IN (0, 1))
  ) STRICT;
  CREATE UNIQUE INDEX orders_sell_once ON orders (domain) WHERE status NOT IN ('REFUNDED', 'CANCELLED');
  CREATE INDEX orders_of_partner ON orders (partner_id, seq);
  CREATE INDEX orders_by_status ON orders (status, seq);

  CREATE TABLE order_timeline (
    order_seq INTEGER NOT NULL REFERENCES orders (seq),
    position INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN (${listOf(ORDER_STATES)})),
    at INTEGER NOT NULL,
    event_seq INTEGER,
    note TEXT,
    -- The refund that brought it there, where its partner asked for one.
    refund_id TEXT,
    PRIMARY KEY (order_seq, position)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    partner_id TEXT NOT NULL,
    type TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    data TEXT NOT NULL CHECK (json_valid(data))
  ) STRICT;
  CREATE INDEX events_of_partner ON events (partner_id, seq);

  CREATE TABLE idempotency_keys (
    seq INTEGER PRIMARY KEY,
    partner_id TEXT NOT NULL,
    key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    status INTEGER NOT NULL CHECK (status BETWEEN 200 AND 499),
    body TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    UNIQUE (partner_id, key)
  ) STRICT;

  CREATE TABLE settlement_runs (
    seq INTEGER PRIMARY KEY,
    run_id TEXT NOT NULL UNIQUE,
    ran_at INTEGER NOT NULL,
    orders INTEGER NOT NULL,
    -- The last event that a run knew of: what happened before it and what after it, also where the clock stands still.
    event_seq INTEGER NOT NULL DEFAULT 0,
    -- The last order that has been settled; null once the run is complete.
    done_to INTEGER
  ) STRICT;

  CREATE TABLE webhook_endpoints (
    partner_id TEXT PRIMARY KEY,
    url TEXT NOT NULL CHECK (url LIKE 'http%'),
    secret TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- The outbox: what is to be told, written in the transaction of what it tells.
  CREATE TABLE deliveries (
    seq INTEGER PRIMARY KEY,
    delivery_id TEXT NOT NULL UNIQUE,
    event_seq INTEGER NOT NULL REFERENCES events (seq),
    partner_id TEXT NOT NULL,
    -- The exact text of every attempt, so that all of them send the same bytes (HOOK-10).
    body TEXT NOT NULL,
    -- 0 for the delivery itself; higher for the extra copies that a delivery profile asks for.
    copy INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'failed', 'dropped')),
    -- All attempts, and those that the schedule made: an operator's do not use it up.
    attempts INTEGER NOT NULL DEFAULT 0,
    scheduled_attempts INTEGER NOT NULL DEFAULT 0,
    -- World time of the next attempt; null where none is to come.
    next_attempt_at INTEGER,
    created_at INTEGER NOT NULL,
    -- Sent with every attempt: the trace of the call that recorded the event, if it had one.
    traceparent TEXT CHECK (length(traceparent) = 55),
    CHECK ((state = 'pending') = (next_attempt_at IS NOT NULL))
  ) STRICT;
  CREATE INDEX deliveries_due ON deliveries (next_attempt_at, seq) WHERE state = 'pending';
  CREATE INDEX deliveries_due_of_partner ON deliveries (partner_id, next_attempt_at, seq) WHERE state = 'pending';
  CREATE INDEX deliveries_of_partner ON deliveries (partner_id, seq);
  CREATE INDEX deliveries_of_event ON deliveries (event_seq);

  CREATE TABLE delivery_attempts (
    delivery_seq INTEGER NOT NULL REFERENCES deliveries (seq),
    number INTEGER NOT NULL,
    cause TEXT NOT NULL CHECK (cause IN ('schedule', 'operator')),
    at INTEGER NOT NULL,
    url TEXT NOT NULL,
    signature TEXT NOT NULL,
    -- 1 where the delivery profile had it signed with a wrong secret.
    spoilt INTEGER NOT NULL,
    -- Status of the answer; null where there was none.
    status INTEGER,
    -- What went wrong, in a sentence; null for a 2xx.
    failure TEXT,
    -- The first characters of the answer.
    answer TEXT,
    took_ms REAL NOT NULL,
    -- What an operator altered in an attempt on purpose, to see whether the receiver notices; null for every valid one.
    probe TEXT CHECK (probe IN ('signature', 'body', 'secret')),
    PRIMARY KEY (delivery_seq, number)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE links (
    seq INTEGER PRIMARY KEY,
    link_id TEXT NOT NULL UNIQUE,
    partner_id TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('generic', 'domain', 'product')),
    domain TEXT,
    product TEXT,
    created_at INTEGER NOT NULL,
    CHECK ((kind = 'domain') = (domain IS NOT NULL) AND (kind = 'product') = (product IS NOT NULL))
  ) STRICT;
  CREATE INDEX links_of_partner ON links (partner_id, seq);
  CREATE INDEX links_of_domain ON links (domain, partner_id) WHERE domain IS NOT NULL;
  CREATE INDEX links_of_no_domain ON links (partner_id) WHERE domain IS NULL;

  CREATE TABLE clicks (
    seq INTEGER PRIMARY KEY,
    link_id TEXT NOT NULL REFERENCES links (link_id),
    partner_id TEXT NOT NULL,
    at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX clicks_of_link ON clicks (link_id, at);
  CREATE INDEX clicks_of_partner ON clicks (partner_id, at);

  CREATE INDEX orders_to_start ON orders (updated_at, seq) WHERE status = 'EXTERNALLY_PAID' AND stalls = 0;
  CREATE INDEX orders_to_complete ON orders (updated_at, seq) WHERE status = 'TRANSFER_IN_PROGRESS' AND stalls = 0;
  CREATE INDEX orders_attributed ON orders (partner_id, seq) WHERE link_id IS NOT NULL;
  CREATE INDEX orders_of_link ON orders (link_id, created_at) WHERE link_id IS NOT NULL;

  CREATE TABLE refunds (
    seq INTEGER PRIMARY KEY,
    refund_id TEXT NOT NULL UNIQUE,
    order_seq INTEGER NOT NULL UNIQUE REFERENCES orders (seq),
    partner_id TEXT NOT NULL,
    reason TEXT,
    amount_cents INTEGER NOT NULL CHECK (amount_cents > 0),
    created_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE checkout_sessions (
    seq INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL UNIQUE,
    partner_id TEXT NOT NULL,
    -- Whether the credential that opened it was linked to an affiliate account; else its sale is attributed to no link.
    affiliate INTEGER NOT NULL CHECK (affiliate IN (0, 1)),
    domain TEXT NOT NULL,
    return_url TEXT NOT NULL,
    cancel_url TEXT NOT NULL,
    -- What the partner told of the buyer beforehand, then what the buyer registered with, as JSON.
    buyer TEXT CHECK (json_valid(buyer)),
    link_id TEXT REFERENCES links (link_id) CHECK (link_id IS NULL OR affiliate = 1),
    state TEXT NOT NULL CHECK (state IN ('open', 'paying', 'paid', 'cancelled', 'expired')),
    -- World time at which a payment under way succeeds (+pays-late), and the price the buyer agreed to.
    pays_at INTEGER,
    agreed_price_cents INTEGER CHECK (agreed_price_cents > 0),
    public_id TEXT UNIQUE REFERENCES orders (public_id),
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    CHECK ((state = 'paid') = (public_id IS NOT NULL) AND (state = 'paying') = (pays_at IS NOT NULL)),
    CHECK ((state = 'paying') = (agreed_price_cents IS NOT NULL))
  ) STRICT;
  CREATE INDEX checkout_sessions_of_partner ON checkout_sessions (partner_id, seq);
  CREATE INDEX checkout_sessions_due ON checkout_sessions (expires_at) WHERE state = 'open';
  CREATE INDEX checkout_sessions_paying ON checkout_sessions (pays_at) WHERE state = 'paying';

  CREATE TABLE brokerage_cases (
    seq INTEGER PRIMARY KEY,
    case_id TEXT NOT NULL UNIQUE,
    partner_id TEXT NOT NULL,
    tier TEXT NOT NULL CHECK (tier IN ('managed', 'self_serve')),
    buyer_email TEXT NOT NULL,
    budget_cents INTEGER NOT NULL CHECK (budget_cents > 0),
    currency TEXT NOT NULL,
    domain TEXT,
    status TEXT NOT NULL CHECK (status IN ('OPEN', 'NEGOTIATING', 'DEAL_CLOSED', 'CLOSED_NO_DEAL')),
    deal_price_cents INTEGER CHECK (deal_price_cents > 0),
    -- The partner's share as it was when the case was opened: what it was told is what it gets.
    share_basis_points INTEGER NOT NULL CHECK (share_basis_points BETWEEN 0 AND 10000),
    partner_cut_cents INTEGER CHECK (partner_cut_cents BETWEEN 0 AND deal_price_cents),
    -- World time at which the deal closes by itself (deal-closes-N).
    closes_at INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    CHECK ((status = 'DEAL_CLOSED') = (deal_price_cents IS NOT NULL)),
    CHECK ((deal_price_cents IS NULL) = (partner_cut_cents IS NULL)),
    CHECK (closes_at IS NULL OR status IN ('OPEN', 'NEGOTIATING'))
  ) STRICT;
  CREATE UNIQUE INDEX brokerage_one_case_a_domain ON brokerage_cases (domain)
    WHERE domain IS NOT NULL AND status IN ('OPEN', 'NEGOTIATING');
  CREATE INDEX brokerage_cases_of_partner ON brokerage_cases (partner_id, seq);
  CREATE INDEX brokerage_cases_due ON brokerage_cases (closes_at) WHERE closes_at IS NOT NULL;

  CREATE TABLE brokerage_timeline (
    case_seq INTEGER NOT NULL REFERENCES brokerage_cases (seq),
    position INTEGER NOT NULL,
    status TEXT NOT NULL,
    at INTEGER NOT NULL,
    event_seq INTEGER,
    note TEXT,
    PRIMARY KEY (case_seq, position)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE settlement_statements (
    seq INTEGER PRIMARY KEY,
    statement_id TEXT NOT NULL UNIQUE,
    run_seq INTEGER NOT NULL REFERENCES settlement_runs (seq),
    partner_id TEXT NOT NULL,
    period_start INTEGER NOT NULL,
    period_end INTEGER NOT NULL,
    UNIQUE (run_seq, partner_id)
  ) STRICT;
  CREATE INDEX settlement_statements_of_partner ON settlement_statements (partner_id, seq);

  CREATE TABLE payout_runs (
    seq INTEGER PRIMARY KEY,
    run_id TEXT NOT NULL UNIQUE,
    ran_at INTEGER NOT NULL,
    event_seq INTEGER NOT NULL,
    -- The last sale that has been paid; null once the run is complete.
    done_to INTEGER
  ) STRICT;

  CREATE TABLE payouts (
    seq INTEGER PRIMARY KEY,
    payout_id TEXT NOT NULL UNIQUE,
    run_seq INTEGER NOT NULL REFERENCES payout_runs (seq),
    partner_id TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('commission', 'brokerage')),
    amount_cents INTEGER NOT NULL CHECK (amount_cents > 0),
    currency TEXT NOT NULL,
    paid_at INTEGER NOT NULL,
    UNIQUE (run_seq, partner_id, kind)
  ) STRICT;
  CREATE INDEX payouts_of_partner ON payouts (partner_id, seq);

  -- Every sale has a row: what was sold, by whom, under which model. What became of its worth is in the ledger.
  CREATE TABLE sales (
    seq INTEGER PRIMARY KEY,
    partner_id TEXT NOT NULL,
    order_seq INTEGER UNIQUE REFERENCES orders (seq),
    case_id TEXT REFERENCES brokerage_cases (case_id),
    domain TEXT,
    payment_model TEXT NOT NULL CHECK (payment_model IN ('partner_collected', 'hosted_checkout', 'brokerage')),
    currency TEXT NOT NULL,
    -- What it is worth now: the sums of its lines, kept for the totals of reports. The audit holds them against the lines.
    gross_cents INTEGER NOT NULL CHECK (gross_cents >= 0),
    commission_cents INTEGER NOT NULL CHECK (commission_cents BETWEEN 0 AND gross_cents),
    -- The partner's share of the price as it was when it was sold.
    rate_basis_points INTEGER NOT NULL CHECK (rate_basis_points BETWEEN 0 AND 10000),
    created_at INTEGER NOT NULL,
    CHECK ((order_seq IS NULL) <> (case_id IS NULL) AND (payment_model = 'brokerage') = (case_id IS NOT NULL))
  ) STRICT;
  CREATE UNIQUE INDEX sales_of_case ON sales (case_id) WHERE case_id IS NOT NULL;
  CREATE INDEX sales_of_partner ON sales (partner_id, seq);
  CREATE INDEX sales_worth ON sales (partner_id, created_at, payment_model, gross_cents, commission_cents);

  -- The one ledger: signed changes in integer cents, never altered. Every figure of every report is a sum over it.
  CREATE TABLE ledger_entries (
    seq INTEGER PRIMARY KEY,
    sale_seq INTEGER NOT NULL REFERENCES sales (seq),
    partner_id TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('retained', 'accrued', 'pending', 'paid_out', 'reversed', 'settled')),
    -- Change of the partner's gross sales, and of what it has earned by them.
    gross_cents INTEGER NOT NULL,
    commission_cents INTEGER NOT NULL,
    -- Change of what the service owes the partner, and of the part of it that a payout run may pay now.
    due_cents INTEGER NOT NULL,
    payable_cents INTEGER NOT NULL,
    -- Change of what the partner owes the service and has not been stated yet (partner-collected sales).
    unsettled_cents INTEGER NOT NULL,
    -- What the service owed the partner in all, this line included.
    balance_cents INTEGER NOT NULL,
    statement_seq INTEGER REFERENCES settlement_statements (seq),
    payout_seq INTEGER REFERENCES payouts (seq),
    created_at INTEGER NOT NULL,
    CHECK ((kind = 'settled') = (statement_seq IS NOT NULL) AND (kind = 'paid_out') = (payout_seq IS NOT NULL))
  ) STRICT;
  CREATE INDEX ledger_of_sale ON ledger_entries (sale_seq, seq);
  CREATE INDEX ledger_of_partner ON ledger_entries (partner_id, seq);
  CREATE INDEX ledger_of_statement ON ledger_entries (statement_seq) WHERE statement_seq IS NOT NULL;
  CREATE INDEX ledger_of_payout ON ledger_entries (payout_seq) WHERE payout_seq IS NOT NULL;
  CREATE INDEX ledger_payable ON ledger_entries (sale_seq, payable_cents) WHERE payable_cents <> 0;
  CREATE INDEX ledger_reversed ON ledger_entries (sale_seq) WHERE kind = 'reversed';
  CREATE INDEX ledger_of_commissions ON ledger_entries (partner_id, seq, created_at)
    WHERE kind IN ('accrued', 'pending', 'paid_out', 'reversed');

  -- What a magic name has done already: each acts once.
  CREATE TABLE magic_acts (
    domain TEXT NOT NULL,
    act TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (domain, act)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE faults (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    fault_id TEXT NOT NULL UNIQUE,
    -- Which calls it acts on; NULL for any.
    endpoint TEXT,
    credential INTEGER REFERENCES credentials (id),
    domain TEXT,
    public_id TEXT,
    effect TEXT NOT NULL CHECK (json_valid(effect)),
    times INTEGER CHECK (times > 0),
    probability REAL NOT NULL CHECK (probability > 0 AND probability <= 1),
    seed TEXT NOT NULL,
    hits INTEGER NOT NULL DEFAULT 0 CHECK (times IS NULL OR hits <= times),
    last_request_id TEXT
  ) STRICT;

  -- How often a rule with a probability has drawn for one operation.
  CREATE TABLE fault_draws (
    fault_id TEXT NOT NULL REFERENCES faults (fault_id) ON DELETE CASCADE,
    operation TEXT NOT NULL,
    draws INTEGER NOT NULL,
    PRIMARY KEY (fault_id, operation)
  ) STRICT, WITHOUT ROWID;

  -- What clients have met, as far as no other table tells it (sandbox/coverage): a bounded number of rows.
  CREATE TABLE coverage_tallies (
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    count INTEGER NOT NULL CHECK (count >= 0),
    first_at INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    detail TEXT CHECK (json_valid(detail)),
    PRIMARY KEY (kind, id)
  ) STRICT, WITHOUT ROWID;
`
