import { describe, expect, it } from 'vitest'
import { toldOver } from '../../src/conformance/learn-own-dialect.ts'
import { runConformance } from '../../src/library/run-conformance.ts'
import { startSandbox } from '../../src/library/start-sandbox.ts'
import { variedGaps } from '../../src/contract/choose-gaps.ts'

const TOLD = { priceUnit: null, params: {}, bodies: {}, roles: {}, statuses: {}, paymentModels: {} } as const

describe('a sandbox of ours whose operator can be asked', () => {
  it.each(['42', '7'])('is judged in the dialect that it was started with (seed %s)', async (seed) => {
    await using sandbox = await startSandbox({ gaps: variedGaps(seed), rateLimit: null })
    const { url, credentials, operator } = sandbox as never as Record<string, never>
    console.log(url, credentials, operator)
  })
})
