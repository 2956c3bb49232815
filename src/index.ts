/**
 * The library: a sandbox in your own test process, and the signing that its document asks for.
 *
 * @example
 * import { signRequest, startSandbox } from 'partner-sandbox'
 * const sandbox = await startSandbox()
 * const [main] = sandbox.credentials
 * const { headers } = signRequest({ keyId: main.key_id, secret: main.secret },
 *   { method: 'GET', target: '/api/partner/v1/orders', timestampSeconds: Math.floor(Date.now() / 1000), nonce: crypto.randomUUID() })
 * const answer = await fetch(`${sandbox.url}/api/partner/v1/orders`, { headers })
 * await sandbox.close()
 *
 * @packageDocumentation
 */
import { type RunningServer, type ServerOptions, startServer } from './server.ts'

export { MalformedQueryError } from './contract/canonical-string.ts'
export { type SignableCall, type SignedCall, type SigningKey, signCall as signRequest } from './contract/signature.ts'
export { signWebhook, verifyWebhook } from './contract/webhook-signature.ts'
export type { HandedCredential, RunningServer, ServerOptions } from './server.ts'

/**
 * Starts a sandbox on free ports, in memory unless `dataDir` says otherwise. Any number may run in one process.
 *
 * @throws StorageError where the data directory cannot be used.
 * @example const sandbox = await startSandbox({ seed: 'ci' })
 */
export function startSandbox(options: Partial<ServerOptions> = {}): Promise<RunningServer> {
  return startServer({ port: 0, operatorPort: 0, ...options })
}
