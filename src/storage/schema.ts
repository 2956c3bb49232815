import type { Db } from './database.ts'
import { StorageError } from './storage-error.ts'

/**
 * The tables of a world, as steps from one schema version to the next. STRICT types, checks and unique indexes are
 * the last line of defence behind the rules: a domain cannot be sold twice nor a key record two orders, whatever the
 * code above does.
 */
const MIGRATIONS = [
  `
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
    created_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE nonces (
    seq INTEGER PRIMARY KEY,
    credential INTEGER NOT NULL,
    nonce TEXT NOT NULL,
    used_at INTEGER NOT NULL,
    UNIQUE (credential, nonce)
  ) STRICT;

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

  -- Which listing has which word in its name and which topic (inventory/index-terms.ts). Rows are listings.id. Positions
  -- and text are left out: search asks only for "which rows", and reads the rows themselves.
  CREATE VIRTUAL TABLE listing_index USING fts5 (
    terms, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
  );

  CREATE TABLE quotes (
    seq INTEGER PRIMARY KEY,
    quote_id TEXT NOT NULL UNIQUE,
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
    status TEXT NOT NULL,
    sale_price_cents INTEGER NOT NULL CHECK (sale_price_cents > 0),
    currency TEXT NOT NULL,
    payment_model TEXT NOT NULL CHECK (payment_model IN ('partner_collected', 'hosted_checkout')),
    buyer TEXT NOT NULL,
    return_url TEXT,
    cancel_url TEXT,
    quote_id TEXT REFERENCES quotes (quote_id),
    external_payment_ref TEXT,
    commission_cents INTEGER NOT NULL CHECK (commission_cents >= 0 AND commission_cents <= sale_price_cents),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX orders_sell_once ON orders (domain) WHERE status NOT IN ('REFUNDED', 'CANCELLED');
  CREATE INDEX orders_of_partner ON orders (partner_id, seq);
  CREATE INDEX orders_by_status ON orders (status, seq);

  CREATE TABLE order_timeline (
    order_seq INTEGER NOT NULL REFERENCES orders (seq),
    position INTEGER NOT NULL,
    status TEXT NOT NULL,
    at INTEGER NOT NULL,
    event_id TEXT,
    note TEXT,
    PRIMARY KEY (order_seq, position)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    partner_id TEXT NOT NULL,
    type TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    data TEXT NOT NULL
  ) STRICT;
  CREATE INDEX events_of_partner ON events (partner_id, seq);

  CREATE TABLE idempotency_keys (
    seq INTEGER PRIMARY KEY,
    partner_id TEXT NOT NULL,
    key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    status INTEGER NOT NULL CHECK (status BETWEEN 200 AND 299),
    body TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    UNIQUE (partner_id, key)
  ) STRICT;

  CREATE TABLE settlement_runs (
    seq INTEGER PRIMARY KEY,
    run_id TEXT NOT NULL UNIQUE,
    ran_at INTEGER NOT NULL,
    orders INTEGER NOT NULL
  ) STRICT;
  `,
] as const

/** The schema version this program writes. */
export const SCHEMA_VERSION = MIGRATIONS.length

/**
 * Brings a database to the current schema, in one transaction.
 *
 * @throws StorageError where the file was written by a newer program.
 */
export function migrate(db: Db): Db {
  const version = db.pragma('user_version', { simple: true }) as number
  if (version > SCHEMA_VERSION) {
    db.close()
    throw new StorageError(
      `the database has schema version ${version} and this partner-sandbox knows ${SCHEMA_VERSION}; use the newer program`,
    )
  }
  if (version === SCHEMA_VERSION) return db
  db.exec('BEGIN IMMEDIATE')
  try {
    for (const migration of MIGRATIONS.slice(version)) db.exec(migration)
    db.pragma(`user_version = ${SCHEMA_VERSION}`)
    db.exec('COMMIT')
  } catch (error) {
    if (db.inTransaction) db.exec('ROLLBACK')
    throw error
  }
  return db
}
