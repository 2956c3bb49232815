import { createOperatorClient, type OperatorAddress } from '../operator-api/client.ts'
import { connectTo } from '../operator-api/connection.ts'
import type { OperationInput } from '../operator-api/operations.ts'
import { SandboxUnreachable } from '../operator-api/refusals.ts'
import type { MagicList } from '../operator-api/rows/sandbox.ts'
import { SNAPSHOT, type WorldFacts } from '../operator-api/rows/worlds.ts'
import type { Credentials } from './credentials.ts'
import { type SandboxAccess, type World, type WorldOptions, worldHandle } from './world.ts'

/** A sandbox, in this process or in another one. */
export interface Sandbox extends AsyncDisposable {
  /** Address of the partner API, for the client under test. */
  readonly url: string
  readonly operatorUrl: string
  /** Address and token of the operator port, as `connectSandbox` takes them. */
  readonly operator: { readonly url: string; readonly token: string | null }
  /** The default world; it always exists. */
  readonly defaultWorld: World
  /** The credentials of the default world by name. */
  readonly credentials: Credentials
  /**
   * Makes a world with its own credentials. Use one per test file, or per test: worlds do not affect each other.
   *
   * @throws SandboxRefusal if the name is taken or an option is unknown.
   * @example const world = await sandbox.createWorld({ seed: 'ci', frozen: true })
   */
  createWorld(options?: WorldOptions): Promise<World>
  /** Creates a world from a snapshot of any sandbox; by default with its old name. */
  importWorld(snapshot: Uint8Array, name?: string): Promise<World>
  /** @throws SandboxRefusal 404 if there is no such world. */
  world(name: string): Promise<World>
  worlds(): Promise<WorldFacts[]>
  /** The names with a fixed outcome. */
  magic(): Promise<MagicList>
  /** Closes the connections. It stops a sandbox that `startSandbox` started; a connected one keeps running. */
  close(): Promise<void>
}

const DEFAULT_WORLD = 'default'

/**
 * A handle on a sandbox that runs elsewhere: in another process (one for all test files, from a global setup), or on
 * another machine.
 *
 * @param operator address of the operator port, with its token if it requires one.
 * @throws SandboxUnreachable if no operator API answers; SandboxRefusal if it requires another token.
 * @example const sandbox = await connectSandbox({ url: 'http://127.0.0.1:4601' })
 */
export async function connectSandbox(operator: OperatorAddress): Promise<Sandbox> {
  return openHandle(operator, async () => undefined, new Map())
}

/**
 * @param stop called when the handle is closed.
 * @param secrets the known ones, by key id.
 */
export async function openHandle(
  address: OperatorAddress,
  stop: () => Promise<void>,
  secrets: Map<string, string>,
): Promise<Sandbox> {
  const operator = { url: address.url.replace(/\/+$/, ''), token: address.token ?? null }
  const client = createOperatorClient(operator)
  try {
    const { api_url: url } = await client.call('sandbox.show', {})
    if (typeof url !== 'string') throw new SandboxUnreachable(`${operator.url} is not the operator port of a sandbox`)
    const lines: SandboxAccess = { operator: client, partner: connectTo(url), url, secrets }
    const defaultWorld = worldHandle(lines, await client.call('worlds.show', { w: DEFAULT_WORLD }))
    return sandboxHandle(lines, operator, defaultWorld, stop)
  } catch (error) {
    client.close()
    throw error
  }
}

function sandboxHandle(
  lines: SandboxAccess,
  operator: Sandbox['operator'],
  defaultWorld: World,
  stop: () => Promise<void>,
): Sandbox {
  const { operator: client, partner, url } = lines
  const close = async () => {
    client.close()
    partner.close()
    await stop()
  }
  return {
    url,
    operator,
    operatorUrl: operator.url,
    defaultWorld,
    credentials: defaultWorld.credentials,
    async createWorld(options = {}) {
      return worldHandle(lines, await client.call('worlds.create', {}, options as OperationInput<'worlds.create'>))
    },
    async importWorld(bytes, name) {
      const content = { type: SNAPSHOT.type, bytes }
      return worldHandle(lines, await client.send('worlds.import', {}, content, name === undefined ? {} : { name }))
    },
    async world(name) {
      return worldHandle(lines, await client.call('worlds.show', { w: name }))
    },
    worlds: async () => (await client.call('worlds.list', {})).worlds,
    magic: () => client.call('magic.list', {}),
    close,
    [Symbol.asyncDispose]: close,
  }
}
