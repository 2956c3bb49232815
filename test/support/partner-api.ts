import { randomUUID } from 'node:crypto'
import { onTestFinished } from 'vitest'
import { wallClock } from '../../src/clock/wall-clock.ts'
import { RULES } from '../../src/contract/rules.ts'
import { type DefectHooks, NO_DEFECT_HOOKS } from '../../src/sandbox/app/defect-hooks.ts'
import { createPartnerApp } from '../../src/sandbox/app/server.ts'
import { handedCredentials, randomKeys } from '../../src/sandbox/kernel/credentials.ts'
import type { Resolve } from '../../src/sandbox/kernel/world.ts'
import { createOutbound } from '../../src/sandbox/webhooks/address-policy.ts'
import type { WorldOptions } from '../../src/sandbox/worlds/world-options.ts'
import { Worlds } from '../../src/sandbox/worlds/worlds.ts'
import { signWith } from './signer.ts'

/** What a test says of a call; the cast's `main` makes it unless it is said who. */
interface ApiCall {
  method: string
  target: string
  body?: unknown
  as?: string
  key?: { keyId: string; secret: string }
  nonce?: string
  headers?: Record<string, string>
}

export const SMALL_WORLD: WorldOptions = { seed: 'test', inventory: 10, clockMs: null, frozen: false, rateLimit: null }

/** A partner API over real HTTP whose worlds, and what names stand for, are in the hands of the test. */
export async function startApi(
  options: { hosts?: string; resolve?: Resolve; world?: Partial<WorldOptions>; hooks?: DefectHooks } = {},
) {
  const worlds = new Worlds({
    dataDir: null,
    wall: wallClock,
    rules: RULES,
    hooks: options.hooks ?? NO_DEFECT_HOOKS,
    publicUrl: () => 'http://127.0.0.1',
    outbound: createOutbound(options),
    first: { ...SMALL_WORLD, ...options.world },
    firstKeys: randomKeys,
  })
  const app = createPartnerApp(worlds, wallClock)
  onTestFinished(async () => {
    await app.close()
    worlds.close()
  })
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  const cast = handedCredentials(worlds.main).map(({ name, key_id, secret }) => ({ name, keyId: key_id, secret }))

  async function call({ method, target, body, as = 'main', key, nonce = randomUUID(), headers }: ApiCall) {
    const credential = key ?? cast.find(({ name }) => name === as)
    if (!credential) throw new Error(`the cast has no ${as}`)
    const bytes = body === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(body))
    const timestamp = String(Math.floor(Date.now() / 1000))
    const signed = signWith(credential, { method, target, body: bytes, timestamp, nonce }).headers
    const sent = { ...signed, 'content-type': 'application/json', ...headers }
    const answer = await fetch(origin + target, { method, headers: sent, body: method === 'GET' ? null : bytes })
    return { status: answer.status, json: (await answer.json()) as Record<string, unknown> }
  }

  return { worlds, cast, call }
}
