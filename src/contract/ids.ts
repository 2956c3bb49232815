/**
 * A short label for one of several servers behind one address. It begins the names of worlds and the tokens of pages, and stands
 * in key ids, so that an ordinary proxy finds the server of a call. Null for a server that is alone.
 */
export type Shard = string | null

export const SHARD_FORM = '1 to 8 lower-case letters and digits'

/** A label, as a pattern. */
export const SHARD_PATTERN = '[a-z0-9]{1,8}'

const LABEL = new RegExp(`^${SHARD_PATTERN}$`)

/** @example isShard('b') // true */
export function isShard(text: unknown): boolean {
  return typeof text === 'string' && LABEL.test(text)
}

/**
 * A name of this shard; one that has the label already stays as it is.
 *
 * @example withLabel('b', 'default') // 'b.default'
 */
export function withLabel(shard: Shard, name: string): string {
  return hasLabel(shard, name) ? name : `${shard}.${name}`
}

/** @example withoutLabel('b', 'b.default') // 'default' */
export function withoutLabel(shard: Shard, name: string): string {
  return shard !== null && hasLabel(shard, name) ? name.slice(shard.length + 1) : name
}

export function hasLabel(shard: Shard, name: string): boolean {
  return shard === null || name.startsWith(`${shard}.`)
}

/**
 * The shapes of the document's identifiers. An id is its prefix plus an opaque part; the opaque part is made
 * elsewhere (sandbox/kernel/chance.ts), because making it takes a seed.
 */
export const ID_PREFIXES = {
  order: 'ord_',
  event: 'evt_',
  partner: 'ptr_',
  quote: 'qt_',
  refund: 'rf_',
  checkoutSession: 'cs_',
  brokerageCase: 'brk_',
  link: 'lnk_',
  request: 'req_',
  settlementRun: 'run_',
  statement: 'stm_',
  payout: 'po_',
  payoutRun: 'prun_',
  transaction: 'txn_',
  ledgerEntry: 'ent_',
  delivery: 'dlv_',
  fault: 'flt_',
} as const

export type IdKind = keyof typeof ID_PREFIXES

/** The environment words a key id may carry (document: Credential). */
const ENVIRONMENT_WORDS = ['sandbox', 'test', 'live'] as const

export type EnvironmentWord = (typeof ENVIRONMENT_WORDS)[number]

/** The opaque part may begin with the label of a shard. */
const KEY_ID = new RegExp(`^pk_(${ENVIRONMENT_WORDS.join('|')})_(?:(${SHARD_PATTERN})_)?[A-Za-z0-9]+$`)

/**
 * The environment word of a key id, or null if the text is not a key id (CRED-01).
 *
 * @example environmentOf('pk_live_9f2c') // 'live'
 */
export function environmentOf(keyId: string): EnvironmentWord | null {
  return (KEY_ID.exec(keyId)?.[1] as EnvironmentWord | undefined) ?? null
}

/** Whether a text is the secret of a credential by its first letters: where a key id belongs, it is not to be sent or shown. */
export function isSecretByName(text: string): boolean {
  return text.startsWith('sk_')
}

/**
 * What stands before the random part of a key id that leads to this shard.
 *
 * @example keyIdStart('sandbox', 'b') // 'pk_sandbox_b_'
 */
export function keyIdStart(word: EnvironmentWord, shard: Shard): string {
  return `pk_${word}_${shard === null ? '' : `${shard}_`}`
}

/** Whether a proxy leads a key id to this shard; a server that is alone gets them all. */
export function leadsTo(shard: Shard, keyId: string): boolean {
  return shard === null || KEY_ID.exec(keyId)?.[2] === shard
}
