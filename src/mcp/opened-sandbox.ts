import { environmentOf } from '../contract/ids.ts'
import { unknownName } from '../contract/words.ts'
import { credentialsOf } from '../library/credentials.ts'
import { createPartnerClient } from '../library/partner-client.ts'
import { startSandbox } from '../library/start-sandbox.ts'
import { createOperatorClient, type OperatorAddress } from '../operator-api/client.ts'
import { connectTo } from '../operator-api/connection.ts'
import { type OpenedSandbox, ToolError } from './tool.ts'

export interface SandboxChoice {
  /** A running sandbox or proxy; null starts a sandbox. */
  readonly address: OperatorAddress | null
  /** Secret of the client's key, which signs calls through a proxy: the proxy itself cannot sign. */
  readonly proxySecret: string | null
}

/** @throws SandboxUnreachable if no operator API answers at the address. */
export async function openSandbox({ address, proxySecret }: SandboxChoice): Promise<OpenedSandbox> {
  if (address) return accessTo(address, proxySecret, async () => undefined)
  const sandbox = await startSandbox()
  return accessTo(sandbox.operator, null, () => sandbox.close())
}

async function accessTo(
  address: OperatorAddress,
  proxySecret: string | null,
  stop: () => Promise<void>,
): Promise<OpenedSandbox> {
  const operator = createOperatorClient(address)
  const { api_url: url, version, proxy } = await operator.call('sandbox.show', {})
  const partner = connectTo(url)
  return {
    operator,
    url,
    version,
    proxyTarget: proxy?.target ?? null,
    async as(world, name) {
      const { credentials: written } = await operator.call('credentials.list', { w: world })
      const known = new Map(proxy && proxySecret ? written.map(({ key_id }) => [key_id, proxySecret]) : [])
      const credential = credentialsOf(written, known)[name]
      if (!credential) {
        const known = written.map((one) => one.name)
        throw new ToolError(unknownName('credential', name, known))
      }
      if (environmentOf(credential.keyId) === 'live')
        throw new ToolError('a live key is never used by a tool; make this call yourself')
      if (proxy && !proxySecret)
        throw new ToolError(
          'a proxy cannot sign; start "partner-sandbox mcp" with PARTNER_SECRET in its environment, or let your client make this call',
        )
      return createPartnerClient({ partner, operator, world }, credential)
    },
    async close() {
      operator.close()
      partner.close()
      await stop()
    },
  }
}
