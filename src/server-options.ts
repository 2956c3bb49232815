import type { WallClock } from './clock/wall-clock.ts'
import type { GapChoices } from './contract/choices.ts'
import type { Shard } from './contract/ids.ts'
import type { Activity } from './operator/activity.ts'

/** How a sandbox is started; every member has a default (SERVER_DEFAULTS in server.ts). */
export interface ServerOptions {
  /** Port of the partner API; 0 picks a free one. */
  port: number
  /** Port of the operator API; null for none. */
  operatorPort: number | null
  host: string
  /** The address under which partners and buyers reach the partner API; null for the bound one. Pages and links carry it. */
  publicUrl: string | null
  /**
   * Bearer token of the operator port, of 16 characters at least where the host is not a loopback address; made up where
   * none is given there.
   */
  operatorToken: string | null
  /** The label of this server, where it is one of several behind one address; null where it is alone. */
  shard: Shard
  /** Folder with one SQLite file per world; null keeps everything in memory. */
  dataDir: string | null
  /** Seed of all synthetic data: inventory, prices and ids. */
  seed: string
  /** Listings made from the seed, besides the magic ones. */
  inventory: number
  /** Where the default world's clock starts, in milliseconds since 1970; null for now. */
  clockMs: number | null
  frozen: boolean
  /** Calls per credential in so many seconds; null for no limit. */
  rateLimit: { requests: number; seconds: number } | null
  /** Open points of the document that new worlds decide differently from the default (contract/choices.ts). */
  gaps: Partial<GapChoices>
  /** A seed from which all open points are drawn that `gaps` does not name; null for the usual choices. */
  vary: string | null
  /**
   * Where webhooks may be sent: `loopback`, `private`, `public`, `any`, host names, addresses and networks, with commas
   * between them; null for `loopback` where the host is one, and else `public`.
   */
  webhookHosts: string | null
  /** Whether refused calls of the default world are answered with a hint (docs/signing.md), where that world is new. */
  hints: boolean
  /** No world gives hints, whatever its settings say. */
  strict: boolean
  /** How the commands in hints begin. */
  program: string
  /** Id of a defect of src/proof/defects; null for a sound sandbox. */
  defect: string | null
  wall: WallClock
  /** Called with how many listings have been made, where there are many. */
  onProgress: ((done: number, of: number) => void) | undefined
  /** Called with each call, why it was refused, and each attempt of a delivery; of many in a short time only with some. */
  onActivity: ((activity: Activity) => void) | undefined
}
