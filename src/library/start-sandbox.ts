import { parseInstant } from '../clock/instant.ts'
import { readGapChoices } from '../contract/choices.ts'
import { isShard, SHARD_FORM } from '../contract/ids.ts'
import { isObject } from '../contract/is-object.ts'
import { unknownName } from '../contract/words.ts'
import type { ServerOptions } from '../server-options.ts'
import { NO_OPTIONS, portProblem, refuseProblems, textProblem } from './check-options.ts'
import { openHandle, type Sandbox } from './sandbox.ts'

/** How a sandbox is started; every member has a default. */
export interface SandboxOptions
  extends Partial<Omit<ServerOptions, 'operatorPort' | 'dataDir' | 'clockMs' | 'onProgress' | 'wall'>> {
  /** Port of the operator API, which the handles speak to; 0, the default, picks a free one. */
  operatorPort?: number
  /** Folder with one SQLite file per world; null keeps everything in memory. */
  data?: string | null
  /** Where the default world's clock starts, such as `2027-01-01T00:00:00Z`; null for now. */
  clock?: string | Date | null
  /** @deprecated It is called `data`, as everywhere else. */
  dataDir?: string | null
  /** @deprecated It is called `clock`, as everywhere else, and takes a text. */
  clockMs?: number | null
}

/**
 * Starts a sandbox on free ports, in memory unless `data` is set. One process can run several; it does not
 * end before they are closed.
 *
 * @throws TypeError for an unknown option or a value that is not legal; StorageError if the data directory cannot be used;
 * an `EADDRINUSE` error if a port is taken.
 * @example
 * const sandbox = await startSandbox({ seed: 'ci' })
 * const world = await sandbox.createWorld()
 * await sandbox.close()
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  // Loaded only here: a test file that connects to a shared sandbox needs no server.
  const { SERVER_DEFAULTS, startServer } = await import('../server.ts')
  const server = await startServer({ port: 0, operatorPort: 0, ...readOptions(options, SERVER_DEFAULTS) })
  try {
    const secrets = new Map(server.credentials.map(({ key_id, secret }) => [key_id, secret]))
    // The operator port is always opened: the handles are its clients.
    return await openHandle(server.operator as { url: string; token: string | null }, server.close, secrets)
  } catch (error) {
    await server.close()
    throw error
  }
}

/** Undefined members count as omitted, so `{ seed: process.env.SEED }` works. */
function readOptions(options: SandboxOptions, defaults: ServerOptions): Partial<ServerOptions> {
  if (!isObject(options)) refuseProblems('startSandbox', [NO_OPTIONS])
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  refuseProblems(
    'startSandbox',
    given.flatMap(([name, value]) => problemsOf(name, value, defaults)),
  )
  const { data, clock, ...same } = Object.fromEntries(given) as SandboxOptions
  return {
    ...same,
    ...(data !== undefined && { dataDir: data }),
    ...(clock !== undefined && { clockMs: clock === null ? null : msOf(clock) }),
  }
}

/** Those of the server that have another name here, or none; the two with another name are still taken. */
const OLD_NAMES = ['dataDir', 'clockMs']
const HIDDEN = [...OLD_NAMES, 'wall', 'onProgress']

function problemsOf(name: string, value: unknown, defaults: ServerOptions): string[] {
  const names = [...Object.keys(defaults).filter((known) => !HIDDEN.includes(known)), 'data', 'clock']
  if (!names.includes(name) && !OLD_NAMES.includes(name)) return [unknownName('option', name, names)]
  if (name === 'gaps')
    return readGapChoices(value as Record<string, unknown>, 'typed').problems.map(({ message }) => message)
  if (name === 'shard' && value !== null && !isShard(value)) return [`shard must be ${SHARD_FORM}, or null`]
  if (name === 'seed' && typeof value !== 'string') return ['seed must be a text']
  if (name === 'operatorPort' && value === null) return ['operatorPort must be a port: the handles speak to it']
  const problem = name === 'port' || name === 'operatorPort' ? portProblem(value) : null
  if (problem !== null) return [`${name} ${problem}`]
  if (name === 'inventory' && !isCount(value)) return ['inventory must be a whole number, 0 or more']
  if ((name === 'data' || name === 'dataDir') && value !== null && textProblem(value) !== null)
    return [`${name} must be the path of a folder, or null`]
  if (name === 'clock' && value !== null && msOf(value) === null)
    return ['clock must be an instant such as "2027-01-01T00:00:00Z", or null']
  if (name === 'clockMs' && value !== null && !isCount(value))
    return ['clockMs must be whole milliseconds since 1970, or null']
  return []
}

/** Null for a value that is not an instant. */
function msOf(instant: unknown): number | null {
  if (instant instanceof Date) return isCount(instant.getTime()) ? instant.getTime() : null
  return typeof instant === 'string' ? parseInstant(instant) : null
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
