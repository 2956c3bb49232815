import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { type Sandbox, type SandboxOptions, startSandbox, type World, type WorldOptions } from '../../src/index.ts'

/** A sandbox of the library, closed when the test ends. */
export async function openSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox({ inventory: 20, ...options })
  onTestFinished(() => sandbox.close())
  return sandbox
}

/**
 * Starts the sandbox that the tests of a file share; called once, at its top.
 *
 * @returns what opens a world in it, whose clock stands unless it is said otherwise.
 */
export function shareSandbox(): (options?: WorldOptions) => Promise<World> {
  let shared: Sandbox
  beforeAll(async () => {
    shared = await startSandbox({ inventory: 20 })
  }, 30_000)
  afterAll(() => shared.close())
  return (options = {}) => shared.createWorld({ frozen: true, ...options })
}

/** Orders a domain at its price, and gives the order's public id. */
export async function buy(world: World, domain: string): Promise<string> {
  const { price_cents: price, currency } = await world.domains.show(domain)
  const order = { domain, expected_price: price, currency, buyer: { email: 'ada@example.test' } }
  const { status, json } = await world.call<{ public_id: string }>('POST', '/orders', order, {
    idempotencyKey: `buy-${domain}`,
  })
  if (status !== 201) throw new Error(`the order for ${domain} was answered ${status}: ${JSON.stringify(json)}`)
  return json.public_id
}
