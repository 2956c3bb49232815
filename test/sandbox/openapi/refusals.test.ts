import { describe, expect, it } from 'vitest'
import { ENDPOINT_IDS, type EndpointId } from '../../../src/contract/endpoint-ids.ts'
import { ENDPOINTS } from '../../../src/contract/endpoints.ts'
import { startSandbox, type TestCall } from '../../support/sandbox.ts'

/** A call of an endpoint that is authenticated and no more than that. */
function bareCall(id: EndpointId): TestCall & { method: string } {
  const { method, path } = ENDPOINTS[id]
  const body = method === 'GET' ? {} : { body: {} }
  return { method, path: path.replace(/\{\w+\}/, 'x'), key: 'any-key', ...body }
}

describe('each refusal that any call may meet is met in fact', () => {
  it.each(ENDPOINT_IDS)('by %s', async (id) => {
    const sandbox = await startSandbox({ inventory: 0, rateLimit: { requests: 1, seconds: 60 } })
    const call = bareCall(id)
    const status = async (changes: Partial<TestCall> = {}) => (await sandbox.call({ ...call, ...changes })).status
    expect(await status({ after: (sent) => (sent.target += '?a=%zz') })).toBe(400)
    expect(await status({ signs: { secret: 'another' } })).toBe(401)
    expect(await status({ as: 'no-scope' })).toBe(403)
    if (call.method !== 'GET') {
      expect(await status({ body: { text: 'x'.repeat(65 * 1024) } })).toBe(413)
      // Takes the whole limit, as any authenticated call does.
      expect(await status({ headers: { 'content-type': 'text/plain' } })).toBe(415)
    } else {
      await status()
    }
    expect(await status()).toBe(429)
  })
})
