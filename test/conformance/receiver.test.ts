import { createServer } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { wallClock } from '../../src/clock/wall-clock.ts'
import type { Step } from '../../src/conformance/format/scenario.ts'
import { createReceiver, type Hook, validSecrets } from '../../src/conformance/webhooks/receiver.ts'
import { SHOP_FIXTURES, startShop } from '../support/fake-shop.ts'
import { listening } from '../support/listening.ts'
import { fakeTarget, judge, scenario, targetOf } from '../support/referee.ts'

function receiver(publicUrl: string | null = null) {
  const made = createReceiver({ listen: '127.0.0.1:0', publicUrl, wall: wallClock })
  onTestFinished(() => made.close())
  return made
}

function post(hook: Pick<Hook, 'url'>, body: string | Uint8Array<ArrayBuffer>): Promise<Response> {
  return fetch(hook.url, { method: 'POST', body, redirect: 'manual', headers: { 'X-Odd': 'Ä'.normalize() } })
}

describe('a hook', () => {
  it('has an address and a secret that nobody guesses, and keeps what comes byte for byte', async () => {
    const made = receiver()
    const [one, two] = [await made.openHook('main'), await made.openHook('main')]
    expect(one.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{36}$/)
    expect(new Set([one.url, two.url, one.secret, two.secret]).size).toBe(4)
    expect((await post(one, '{"a" : 1}\n')).status).toBe(200)
    expect(one.deliveries.map(({ body, json, ending }) => [body.toString(), json, ending?.kind])).toEqual([
      ['{"a" : 1}\n', { a: 1 }, 'answered'],
    ])
    expect(two.deliveries).toEqual([])
  })

  it('is found by its path behind whatever leads to it', async () => {
    const made = receiver('https://ci.example.test:${port}/hook/')
    const { url, deliveries } = await made.openHook('main')
    const { port, pathname } = new URL(url)
    expect(url).toMatch(/^https:\/\/ci\.example\.test:\d+\/hook\/[0-9a-f]{36}$/)
    await post({ url: `http://127.0.0.1:${port}${pathname}` }, '{}')
    expect(deliveries).toHaveLength(1)
    expect((await post({ url: `http://127.0.0.1:${port}/hook/other` }, '{}')).status).toBe(404)
  })

  it('behaves by the latest rule that fits and is not used up', async () => {
    const hook = await receiver().openHook('main')
    const answer = (status: number | null) => ({ status, afterMs: 0 })
    hook.behave({ answer: answer(500), times: null, fits: (json) => (json as { bad?: boolean }).bad === true })
    hook.behave({ answer: answer(410), times: 2, fits: () => true })
    const statuses: number[] = []
    for (const body of ['{"bad":true}', '{}', '{"bad":true}', '{}']) statuses.push((await post(hook, body)).status)
    expect(statuses).toEqual([410, 410, 500, 200])
    hook.behave({ answer: answer(null), times: 1, fits: () => true })
    await expect(post(hook, '{}')).rejects.toThrow()
    expect(hook.deliveries.at(-1)?.ending?.kind).toBe('hung-up')
    hook.behave({ answer: { status: 307, afterMs: 0, location: 'https://a.example/' }, times: 1, fits: () => true })
    expect((await post(hook, '{}')).headers.get('location')).toBe('https://a.example/')
  })

  it('answers late, and notes who did not wait for it', async () => {
    const hook = await receiver().openHook('main')
    hook.behave({ answer: { status: 200, afterMs: 60 }, times: 1, fits: () => true })
    await post(hook, '{}')
    expect(hook.deliveries[0]?.ending).toMatchObject({ kind: 'answered', status: 200 })
    expect(hook.deliveries[0]?.ending?.afterMs).toBeGreaterThanOrEqual(50)
    hook.behave({ answer: { status: 200, afterMs: 20_000 }, times: 1, fits: () => true })
    const caller = new AbortController()
    const refused = expect(fetch(hook.url, { method: 'POST', signal: caller.signal })).rejects.toThrow()
    await expect.poll(() => hook.deliveries.length).toBe(2)
    caller.abort()
    await refused
    await expect.poll(() => hook.deliveries[1]?.ending?.kind).toBe('given-up')
  })

  it('keeps no more than it must of what is far too long, and answers on', async () => {
    const hook = await receiver().openHook('main')
    await post(hook, new Uint8Array(3 * 1024 * 1024))
    expect(hook.deliveries[0]?.body.length).toBe(1024 * 1024)
    expect((await post(hook, '{}')).status).toBe(200)
  })
})

/** Keeps everything in this process waiting. */
function standStill(ms: number): void {
  const endMs = wallClock.monotonicMs() + ms
  while (wallClock.monotonicMs() < endMs);
}

describe('a receiver whose process stood still', () => {
  const seenIn = async (stand: () => void, afterMs: number) => {
    const hook = await receiver().openHook('main')
    hook.behave({ answer: { status: 200, afterMs }, times: 1, fits: () => true })
    const posted = post(hook, '{}')
    stand()
    await posted
    return hook.deliveries[0]
  }

  it('knows by how much it was late to see a delivery', async () => {
    const delivery = await seenIn(() => standStill(300), 0)
    expect(delivery?.lateMs).toBeGreaterThan(200)
  })

  it('knows by how much its answer was late', async () => {
    const delivery = await seenIn(() => setTimeout(() => standStill(400), 60), 100)
    expect(delivery?.ending?.afterMs).toBeGreaterThan(300)
    expect(delivery?.lateMs).toBeGreaterThan(250)
  })

  it('is not late where the answer was to be late', async () => {
    expect((await seenIn(() => undefined, 400))?.lateMs).toBeLessThan(350)
  })

  it.each([
    ['in doubt', 700, 'inconclusive', /^the runner itself was late by \d+\.\d s with its answer to a delivery/],
    ['judged', 0, 'fail', /^asked for: delivery\.answered/],
  ] as const)(
    'leaves what became of a delivery %s, where it stood still for %d ms',
    async (_, stoodMs, verdict, note) => {
      const shop = await startShop({ deadlineMs: 50 })
      onTestFinished(() => shop.close())
      const steps: Step[] = [
        { call: { op: 'webhooks.put' } },
        { hook: { answer: { after: '1s' } } },
        { id: 'made', call: { op: 'orders.create' } },
        {
          events: { hook: 'main', type: 'order.recorded', within: '1s' },
          expect: { includes: { 'delivery.answered': 200 }, shows: 'HOOK-04' },
        },
      ]
      const one = scenario({
        proves: ['HOOK-04'],
        needs: ['fixture.sellable'],
        effects: { orders: 1, webhooks: 1 },
        steps,
      })
      const target = {
        ...targetOf(shop, { fixtures: SHOP_FIXTURES }),
        patience: { events: 100, deliveries: 100 },
        webhookDeadlineMs: 1_000,
      }
      let soldAtMs: number | null = null
      const monotonicMs = () => {
        const nowMs = wallClock.monotonicMs()
        if (shop.requests.some(({ line }) => line.startsWith('POST'))) soldAtMs ??= nowMs
        // From the sale on it stands still every now and then.
        return nowMs + (soldAtMs === null ? 0 : stoodMs * Math.ceil((nowMs - soldAtMs + 1) / 200))
      }
      const wall = { ...wallClock, monotonicMs }
      const result = await judge(target, [one], { wall })
      expect(result.scenarios[0]?.checks).toMatchObject([{ verdict, note: expect.stringMatching(note) }])
    },
  )
})

describe('a secret', () => {
  it('is valid from its registration until the next, and while that is under way both are', () => {
    const registered = [
      { secret: 'old', sentAtMs: 0, acceptedAtMs: 10 },
      { secret: 'new', sentAtMs: 100, acceptedAtMs: 110 },
    ]
    expect([5, 50, 105, 200].map((atMs) => validSecrets(registered, atMs))).toEqual([
      ['old'],
      ['old'],
      ['old', 'new'],
      ['new'],
    ])
  })
})

it('a receiver whose address is in use leaves what needs a hook open, also where nothing is waited for at it', async () => {
  const taken = createServer()
  const listen = new URL(await listening(taken)).host
  const fake = await fakeTarget()
  const steps: Step[] = [
    {
      call: { op: 'webhooks.put', body: { set: { url: '${webhook.url}', secret: 'whsec_0123456789abcdef' } } },
      expect: { accepted: true, shows: 'HOOK-01' },
    },
  ]
  const result = await judge(targetOf(fake, { receiver: { listen } }), [scenario({ proves: ['HOOK-01'], steps })])
  expect(result.scenarios[0]?.checks).toMatchObject([
    { verdict: 'not_run', reason: 'needs-receiver', note: expect.stringContaining('EADDRINUSE') },
  ])
})
