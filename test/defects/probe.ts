import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { wallClock } from '../../src/clock/wall-clock.ts'
import { sendBurst } from '../../src/conformance/burst.ts'
import type { WireRequest } from '../../src/conformance/exchange.ts'
import type { ServerOptions } from '../../src/server.ts'
import { startSandbox, type TestAnswer, type TestSandbox } from '../support/sandbox.ts'
import { signWith } from '../support/signer.ts'

/** What one call or a few of them show of a sound sandbox, and of one with the defect. */
export interface Probe {
  defect: string
  look(sandbox: TestSandbox): Promise<unknown>
  sound: unknown
  broken: unknown
}

/** One test a probe: the broken sandbox shows the defect, the sound one does not. */
export function showDefects(probes: readonly Probe[], options: Partial<ServerOptions> = { inventory: 0 }): void {
  test.for(probes)(
    '$defect shows itself, and a sound sandbox shows nothing of it',
    async ({ defect, look, sound, broken }) => {
      expect(await look(await startSandbox(options))).toEqual(sound)
      expect(await look(await startSandbox({ ...options, defect }))).toEqual(broken)
    },
  )
}

/** `200`, or status and code of a refusal. */
export function outcome({ status, json }: TestAnswer): string {
  return status < 400 ? String(status) : `${status} ${json?.code}`
}

export interface BurstCall {
  method: string
  path: string
  body?: unknown
  key?: string
  /** All lanes use this one; without it each has its own. */
  nonce?: string
}

/** The answers to copies of one call that are released together. */
export async function burst(
  sandbox: TestSandbox,
  lanes: number,
  call: BurstCall,
): Promise<{ status: number; body: string }[]> {
  const requests = Array.from({ length: lanes }, () => signed(sandbox, call))
  const { outcomes } = await sendBurst({ origin: sandbox.url, wall: wallClock }, requests)
  return outcomes.map((seen) => {
    if (seen.kind === 'broken') throw new Error(seen.message)
    return { status: seen.response.status, body: Buffer.from(seen.response.body).toString('utf8') }
  })
}

function signed(sandbox: TestSandbox, wanted: BurstCall): WireRequest {
  const { key_id: keyId, secret } = sandbox.credentials[0] as { key_id: string; secret: string }
  const body = Buffer.from(wanted.body === undefined ? '' : JSON.stringify(wanted.body))
  const target = `/api/partner/v1${wanted.path}`
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const sound = { method: wanted.method, target, body, timestamp, nonce: wanted.nonce ?? randomUUID() }
  const headers = {
    ...signWith({ keyId, secret }, sound).headers,
    ...(wanted.body !== undefined && { 'content-type': 'application/json' }),
    ...(wanted.key !== undefined && { 'idempotency-key': wanted.key }),
  }
  return { method: wanted.method, target, headers: Object.entries(headers), body }
}
