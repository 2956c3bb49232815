import type { GapChoices } from '../../contract/choices.ts'
import { SETTING_LIMITS, SNAPSHOT_BYTES } from '../../contract/limits.ts'
import {
  either,
  flag,
  integer,
  list,
  nullable,
  type ObjectOf,
  object,
  oneOf,
  optional,
  type Schema,
  text,
} from '../../contract/schema.ts'
import { del, get, post, put, returns } from '../operation.ts'
import type { WrittenCredential } from './credentials.ts'

/** The automatic steps of a world: durations of its time, null for never. */
export interface ProgressFacts {
  start_after: string | null
  complete_after: string | null
  settle_every: string | null
}

/** The partner's shares, and what is held for manual review. */
export interface RulesFacts {
  commission: {
    partner_collected_basis_points: number
    hosted_checkout_basis_points: number
    brokerage_basis_points: number
  }
  review: { price_above_cents: number | null; buyer_countries: string[] }
}

/** Some open points of the API document, each with a legal value. */
export type ChangedGaps = Partial<GapChoices>

export interface WorldFacts {
  world: string
  seed: string
  inventory: number
  mode: 'running' | 'frozen'
  now: string
  progress: ProgressFacts
  rules: RulesFacts
  /** The open points that this world decides differently from the default. */
  gaps: ChangedGaps
  /** Null if the credential has been deleted. */
  main_key_id: string | null
}

/** A world whose file cannot be used, and why. The file stays as it is. */
export interface UnusableWorld {
  world: string
  problem: string
}

/** A world that was reset, and how much of its history that removed. */
export interface ResetWorld extends WorldFacts {
  removed: { orders: number; events: number; deliveries: number; requests: number }
}

/** A month of sales that was added to a world. */
export interface SeededMonth {
  world: string
  from: string
  to: string
  /** Whether it was stopped before it had come to its end. */
  stopped: boolean
  made: {
    quotes: number
    orders: number
    checkout_sessions: number
    cases: number
    settlement_runs: number
    payout_runs: number
  }
  /** How many orders are in each state, earlier ones too. */
  orders: Record<string, number>
}

/** A world with its credentials: with their secrets only where it is made. */
export type WorldWithCredentials = WorldFacts & { credentials: WrittenCredential[] }

/** The state of a world in numbers. Each count is by state, of the states that have any. */
export interface WorldSummary {
  orders: Record<string, number>
  checkout_sessions: Record<string, number>
  cases: Record<string, number>
  deliveries: Record<string, number>
  /** Of the calls that the log still has; refused is what was answered 4xx. */
  requests: { logged: number; refused: number }
  /** The earliest task of each kind, in time order, with how many of the kind wait. */
  due: { at: string; kind: string; id: string; count: number }[]
}

export interface RateLimitFacts {
  requests: number
  seconds: number
}

export interface HintFacts {
  hints: boolean
}

const LONGEST_SEED = 200

const duration = optional(nullable(text({ maxLength: 40 })))
const progressMembers = { start_after: duration, complete_after: duration, settle_every: duration }
export type WrittenProgress = ObjectOf<typeof progressMembers>
const progress: Schema<WrittenProgress> = object(progressMembers)

/** Hundredths of a percent of the price; 10,000 leaves the service nothing. */
const basisPoints = optional(integer({ minimum: 0, maximum: 10_000 }))

const rulesMembers = {
  commission: optional(
    object({
      partner_collected_basis_points: basisPoints,
      hosted_checkout_basis_points: basisPoints,
      brokerage_basis_points: basisPoints,
    }),
  ),
  review: optional(
    object({
      price_above_cents: optional(nullable(integer({ minimum: 0 }))),
      buyer_countries: optional(list(text({ format: 'country' }), { maxItems: SETTING_LIMITS.buyerCountries })),
    }),
  ),
}
/** Which orders a world holds for manual review (STATE-08), and the partner's shares, as they are written. */
export type WrittenRules = ObjectOf<typeof rulesMembers>
const rules: Schema<WrittenRules> = object(rulesMembers)

const newName = optional(text({ minLength: 1, maxLength: 64 }))

/** A snapshot as it travels and lies on a disk. */
export const SNAPSHOT = { type: 'application/vnd.sqlite3', limitBytes: SNAPSHOT_BYTES } as const

export const worldRows = {
  'worlds.create': post('/v1/worlds', {
    summary: 'Makes a world: 201 with its facts and its `credentials`, the only answer that shows their secrets.',
    body: object({
      name: newName,
      seed: optional(text({ format: 'plain', minLength: 1, maxLength: LONGEST_SEED })),
      inventory: optional(integer({ minimum: 0, maximum: SETTING_LIMITS.inventory })),
      clock: optional(text({ format: 'instant', maxLength: 40 })),
      frozen: optional(flag()),
      // For a new world the word `manual` will do as well.
      progress: optional(either<'manual' | WrittenProgress>(oneOf(['manual']), progress)),
      rules: optional(rules),
      gaps: optional(object({}, { open: true })),
      vary: optional(text({ format: 'plain', minLength: 1, maxLength: LONGEST_SEED })),
      hints: optional(flag()),
    }),
    returns: returns<WorldWithCredentials>(),
  }),
  'worlds.list': get('/v1/worlds', {
    summary:
      'Every world of this sandbox: `worlds`. `unusable` names each world of the data directory whose file cannot be used, and says why in `problem`.',
    returns: returns<{ worlds: WorldFacts[]; unusable: UnusableWorld[] }>(),
    command: { usage: 'world list', summary: 'list all worlds', shows: 'worlds' },
  }),
  'worlds.show': get('/v1/worlds/{w}', {
    asItIs: true,
    summary:
      'One world: seed, inventory, clock, progress, rules, the open points with a value that is not the default (`gaps`), and its `credentials` without secrets.',
    returns: returns<WorldWithCredentials>(),
    command: { usage: 'world show <name>', summary: 'show one world', args: ['w'], shows: 'world' },
  }),
  'worlds.summary': get('/v1/worlds/{w}/summary', {
    summary:
      'The state of a world in numbers: `orders`, `checkout_sessions`, `cases` and `deliveries` by state, `requests` of the log and how many of them an authentication check refused, and what is `due` next of each kind.',
    returns: returns<WorldSummary>(),
    command: {
      usage: 'world summary <name>',
      summary: 'show how many orders, sessions, cases and deliveries are in each state, and what is due next',
      args: ['w'],
      shows: 'summary',
    },
  }),
  'worlds.delete': del('/v1/worlds/{w}', {
    asItIs: true,
    summary: 'Deletes a world and all that it holds: 204. The world `default` stays (409).',
    command: {
      usage: 'world delete <name>',
      summary: 'delete a world and all its data',
      args: ['w'],
      shows: { done: 'deleted {0}' },
    },
  }),
  'worlds.reset': post('/v1/worlds/{w}/reset', {
    asItIs: true,
    summary:
      'Takes a world back to its seed; credentials and settings stay. The world as it is then, with how much was `removed`.',
    returns: returns<ResetWorld>(),
    command: {
      usage: 'world reset [name]',
      summary: 'reset a world to its seed (default: default); its credentials stay',
      args: ['w'],
      shows: 'reset world',
    },
  }),
  'worlds.seed': post('/v1/worlds/{w}/seed', {
    summary:
      'Adds a month of sales: moves the clock by 30 days, in which so many `orders` are sold (200 unless given), with quotes, checkout sessions, brokerage cases, settlement runs and a payout run. Registered endpoints get their webhooks. What was `made`, and all `orders` by state. The same seed and history give the same month.',
    body: object({ orders: optional(integer({ minimum: 1, maximum: SETTING_LIMITS.seededOrders })) }),
    returns: returns<SeededMonth>(),
    command: {
      usage: 'world seed [name]',
      summary: 'add a month of sales to a world (default: default); its clock moves by 30 days',
      args: ['w'],
      flags: { orders: ['--orders <n>', 'number of orders (default: 200)'] },
      shows: 'seeded world',
    },
  }),
}

export const snapshotRows = {
  'snapshots.save': get('/v1/worlds/{w}/snapshot', {
    summary:
      'The world as one SQLite file (`application/vnd.sqlite3`): all of it but the request log. It holds secrets. Refused while the clock is being advanced.',
    gives: SNAPSHOT.type,
  }),
  'snapshots.restore': put('/v1/worlds/{w}/snapshot', {
    asItIs: true,
    summary:
      'Takes the world to what a snapshot says, history and clock included; its name, the keys of its credentials and the nonces they used stay. The world as it is then; 400 if the file is not a valid world; then nothing changes.',
    takes: SNAPSHOT,
    returns: returns<WorldFacts>(),
  }),
  'worlds.fork': post('/v1/worlds/{w}/fork', {
    summary:
      'Copies the world as it stands, with fresh keys for all its credentials: 201 as for a new world. Both go on from here, each on its own.',
    body: object({ name: newName }),
    returns: returns<WorldWithCredentials>(),
    command: {
      usage: 'world fork <name> [new]',
      summary: 'copy a world, with fresh credentials, and print them',
      args: ['w', 'name'],
      shows: 'created world',
    },
  }),
  'worlds.import': post('/v1/worlds/import', {
    summary:
      'Makes a world from a snapshot of any sandbox: 201 as for a new world. It has the `name` that the query says or the one it had; its credentials keep their keys unless one of them is in use here, and then all get fresh ones.',
    query: object({
      name: optional(text({ minLength: 1, maxLength: 64, description: 'The name that the world gets here.' })),
    }),
    takes: SNAPSHOT,
    returns: returns<WorldWithCredentials>(),
  }),
}

export const settingRows = {
  'progress.show': get('/v1/worlds/{w}/progress', {
    summary: 'Automatic steps: `start_after`, `complete_after`, `settle_every`, each a duration or null for never.',
    returns: returns<ProgressFacts>(),
  }),
  'progress.set': put('/v1/worlds/{w}/progress', {
    summary: 'Sets all three; what is left out is null. The progress as it is then.',
    body: progress,
    returns: returns<ProgressFacts>(),
  }),
  'rules.show': get('/v1/worlds/{w}/rules', {
    summary: "The partner's shares (`commission`) and what holds an order (`review`).",
    returns: returns<RulesFacts>(),
  }),
  'rules.set': put('/v1/worlds/{w}/rules', {
    summary: 'Sets both; what is left out is as in a new world. The rules as they are then.',
    body: rules,
    returns: returns<RulesFacts>(),
  }),
  'rateLimit.show': get('/v1/worlds/{w}/rate-limit', {
    summary: 'The limit of each credential: so many `requests` in so many `seconds`; 0 requests means no limit.',
    returns: returns<RateLimitFacts>(),
  }),
  'rateLimit.set': put('/v1/worlds/{w}/rate-limit', {
    summary: 'Sets the limit; 0 requests is none. The limit as it is then.',
    body: object({
      requests: integer({ minimum: 0, maximum: 1_000_000 }),
      seconds: integer({ minimum: 1, maximum: 3_600 }),
    }),
    returns: returns<RateLimitFacts>(),
  }),
  'hints.show': get('/v1/worlds/{w}/hints', {
    summary: 'Whether refusals of the authentication checks say why, in the member `hint` of their body.',
    returns: returns<HintFacts>(),
  }),
  'hints.set': put('/v1/worlds/{w}/hints', {
    summary:
      'Turns hints on, or off if left out. The setting as it is then; under `serve --strict` no world gives hints.',
    body: object({ hints: optional(flag()) }),
    returns: returns<HintFacts>(),
  }),
}
