import { expect, it } from 'vitest'
import { ConformanceTargetError, runConformance } from '../../../src/index.ts'
import { cli } from '../../cli/run.ts'
import { deadUrl } from '../../support/receiver.ts'
import { startTlsServer } from '../../support/tls-server.ts'

// Each asks again for some seconds, because the target of a build may still be starting.

const env = { PARTNER_SECRET: 'sk_test_1' }

it('conform against a server whose certificate is not trusted ends with exit code 6 and names the certificate', async () => {
  const server = await startTlsServer(() => undefined)
  const { code, err } = await cli(['conform', server.origin, '--key-id', 'pk_test_1'], { env })
  await server.close()
  expect(code).toBe(6)
  expect(err).toMatch(
    /gives no answer \(no connection: DEPTH_ZERO_SELF_SIGNED_CERT: its certificate is self-signed, and not trusted; NODE_EXTRA_CA_CERTS/,
  )
})

it('discover ends with exit code 6 where nobody answers', async () => {
  const { code, err } = await cli(['discover', new URL(await deadUrl()).origin, '--key-id', 'pk_test_1'], { env })
  expect([code, err]).toEqual([6, expect.stringContaining('gives no answer')])
})

it('the library says that the target does not answer', async () => {
  const run = runConformance({ target: { url: 'http://127.0.0.1:1', keyId: 'pk_sandbox_x', secret: 's' } })
  await expect(run).rejects.toBeInstanceOf(ConformanceTargetError)
})
