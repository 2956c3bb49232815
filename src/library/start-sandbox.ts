import type { ServerOptions } from '../server.ts'
import { openHandle, type Sandbox } from './sandbox.ts'

/** How a sandbox is started; every member has a default. */
export interface SandboxOptions extends Partial<Omit<ServerOptions, 'operatorPort' | 'onProgress' | 'wall'>> {
  /** Port of the operator API, which the handles speak to; 0, the default, picks a free one. */
  operatorPort?: number
}

/**
 * Starts a sandbox on free ports, in memory unless `dataDir` says otherwise. Any number may run in one process.
 *
 * @throws StorageError where the data directory cannot be used; an `EADDRINUSE` error where a port is taken.
 * @example
 * const sandbox = await startSandbox({ seed: 'ci' })
 * const world = await sandbox.createWorld()
 * await sandbox.close()
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  // Loaded only here: a test file that connects to a shared sandbox needs no server.
  const { startServer } = await import('../server.ts')
  const server = await startServer({ port: 0, operatorPort: 0, ...options })
  try {
    const secrets = new Map(server.credentials.map(({ key_id, secret }) => [key_id, secret]))
    // The operator port is always opened: the handles are its clients.
    return await openHandle(server.operator as { url: string; token: string | null }, server.close, secrets)
  } catch (error) {
    await server.close()
    throw error
  }
}
