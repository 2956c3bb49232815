import type { Scope } from '../contract/scopes.ts'

/** A service to be judged, with all that has to be known about it (docs: the target file). */
export interface Target {
  /** Base address without a trailing slash. */
  url: string
  mode: 'read' | 'write' | 'operator'
  /** Orders that a live key may create; null where a live key may only read. */
  liveWrites: number | null
  budget: Budget
  credentials: TargetCredential[]
  fixtures: TargetFixtures
  operator: TargetOperator | null
  rateLimit: { requests: number; perSeconds: number } | null
  dialect: DialectFile
  /** Gap answers that were seen before; another answer is drift. */
  pins: Record<string, unknown>
  /** How long one call may take, in milliseconds. */
  timeoutMs: number
}

export interface Budget {
  orders: number
  quotes: number
  requests: number
  /** Null: as fast as the target answers. */
  perSecond: number | null
}

export interface TargetCredential {
  name: string
  keyId: string
  secret: string
  /** Null: not told; the runner finds out with one read a scope. */
  scopes: readonly Scope[] | null
  /** Partners with the same word are the same partner. */
  partner: string
  affiliate: boolean | null
  merchantOfRecord: boolean | null
}

export interface TargetFixtures {
  sellable: string[]
  listed: string[]
  unlisted: string[]
  liveSite: string[]
  topic: { query: string; finds: string[] } | null
  webhookUrl: string | null
}

export interface TargetOperator {
  /** Operator address of a running sandbox; null where only single actions are given. */
  url: string | null
  token: string | null
  world: string
  actions: Record<string, OperatorRequest>
}

/** One HTTP request that carries an action out. `${...}` in it is filled in with the action's arguments. */
export interface OperatorRequest {
  method: string
  url: string
  headers: Record<string, string>
  json: unknown
}

export type RoleAddress = string | { at: string; unit?: 'cents' | 'units' }

/** How a target fills the gaps, as the target file tells it. */
export interface DialectFile {
  priceUnit: 'cents' | 'units' | null
  params: Record<string, string>
  bodies: Record<string, unknown>
  roles: Record<string, RoleAddress>
  statuses: Record<string, string>
}

import type { FileProblem } from './scenario.ts'

export type TargetLoad = { target: Target; problems: [] } | { target: null; problems: FileProblem[] }

export interface TargetFlags {
  url: string
  keyId: string
  secret: string
  mode?: 'read' | 'write' | 'operator'
  operatorUrl?: string
  operatorToken?: string
  world?: string
  budget?: Partial<Budget>
  liveWrites?: number
}

export function loadTarget(_file: string, _env: Readonly<Record<string, string | undefined>>): TargetLoad {
  throw new Error('being written')
}

export function targetFromFlags(_flags: TargetFlags): Target {
  throw new Error('being written')
}
