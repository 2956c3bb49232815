import type { Happening } from '../../../src/sandbox/kernel/scheduler.ts'
import type { Breakable } from '../../support/breakable.ts'
import type { Act } from '../../support/every-fault.ts'
import { accepts, never, type Receiver, startReceiver } from '../../support/receiver.ts'
import { TEST_NOW_MS } from '../../support/world.ts'
import { BUYER, brokered, quote, session, sold, tellPartner, transferred, valid } from './setting.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

type Prepare = (on: Breakable) => Promise<unknown>

/** Time passes in a world whose clock runs, and the next request finds done what has fallen due. */
function due(kind: Happening['kind'], afterMs: number, prepare: Prepare): Act {
  return {
    name: kind,
    world: { frozen: false },
    async prepare(on) {
      await tellPartner(on)
      await prepare(on)
      return {}
    },
    async act(on) {
      const seen: Happening['kind'][] = []
      const unwatch = on.world().scheduler.watch((happened) => seen.push(...happened.map((one) => one.kind)))
      on.wall.setMs(TEST_NOW_MS + afterMs)
      // It reads no table itself, and finds done what is due.
      const told = await on.operate('GET', '/progress')
      unwatch()
      if (told.status === 200 && !seen.includes(kind)) throw new Error(`there was no ${kind}`)
      return told
    },
  }
}

async function payLate(on: Breakable): Promise<void> {
  const { session_id } = await session(on)
  const buyer = { ...BUYER, email: 'buyer+pays-late@example.test' }
  valid(await on.operate('POST', `/checkout-sessions/${session_id}/pay`, { buyer }))
}

async function progress(on: Breakable, wanted: object): Promise<void> {
  valid(await on.operate('PUT', '/progress', wanted))
}

/** The attempt that a jump of the clock awaits. What it could not write down it tries again after a second, so each try has a copy. */
const attempt: Act = {
  name: 'delivery.attempt',
  inSteps: true,
  afresh: true,
  async prepare(on) {
    const hook = await startReceiver(accepts, { anything: true })
    await tellPartner(on, hook.url)
    await sold(on, 'held-1.test')
    return {}
  },
  act(on) {
    on.sends = true
    return on.operate('POST', '/clock/advance', { to: new Date(TEST_NOW_MS + 1_000).toISOString() })
  },
}

/** Every kind of thing that happens by itself; an `event` follows from the others, and the rest of a `payout.run` from an operator's act. */
export const DUE: Record<Exclude<Happening['kind'], 'event' | 'payout.run'>, Act> = {
  'quote.expired': due('quote.expired', 11 * MINUTE_MS, (on) => quote(on, 'stalls-1.test')),
  'checkout.expired': due('checkout.expired', 8 * DAY_MS, (on) => session(on)),
  'order.step': due('order.step', 40 * MINUTE_MS, async (on) => {
    await progress(on, { start_after: '10m', complete_after: '20m' })
    await sold(on, 'held-1.test')
    await sold(on, 'live-site-1.test')
  }),
  'settlement.run': due('settlement.run', 8 * DAY_MS, async (on) => {
    await transferred(on)
    await progress(on, { settle_every: '7d' })
  }),
  'idempotency.expired': due('idempotency.expired', 2 * DAY_MS, (on) => sold(on, 'stalls-1.test')),
  'payment.succeeded': due('payment.succeeded', 90 * MINUTE_MS, payLate),
  'payment.failed': due('payment.failed', 90 * MINUTE_MS, async (on) => {
    await payLate(on)
    await sold(on, 'stalls-1.test')
  }),
  'case.closed': due('case.closed', 2 * DAY_MS, (on) => brokered(on, 'deal-closes-1.test')),
  'delivery.attempt': attempt,
}

/** A delivery that has been made, and its id. */
async function delivered(on: Breakable): Promise<Record<string, string>> {
  const hook = await startReceiver(accepts, { anything: true })
  await tellPartner(on, hook.url)
  on.sends = true
  await sold(on, 'stalls-1.test')
  valid(await on.operate('POST', '/clock/advance', { by: '1s' }))
  const { deliveries } = valid(await on.operate('GET', '/deliveries')) as unknown as {
    deliveries: { delivery_id: string }[]
  }
  return { id: deliveries[0]?.delivery_id as string }
}

const W = '/v1/worlds/{w}'

let silent: Receiver

export const DELIVERIES: readonly Act[] = [
  {
    name: `POST ${W}/deliveries/{delivery_id}/redeliver`,
    shownAfterwards: true,
    prepare: delivered,
    act: (on, { id }) => on.operate('POST', `/deliveries/${id}/redeliver`),
  },
  {
    name: `POST ${W}/deliveries/{delivery_id}/probe`,
    shownAfterwards: true,
    prepare: delivered,
    act: (on, { id }) => on.operate('POST', `/deliveries/${id}/probe`, { tampering: 'signature' }),
  },
  {
    name: `DELETE ${W}/clock/advance`,
    changesNothing: true,
    inSteps: true,
    afresh: true,
    async prepare(on) {
      silent = await startReceiver(never, { anything: true })
      await tellPartner(on, silent.url)
      await sold(on, 'stalls-1.test')
      return {}
    },
    /** The jump waits for a receiver that never answers, unless the fault ends it before. */
    async act(on) {
      on.sends = true
      const jump = on.operate('POST', '/clock/advance', { by: '1h' })
      const ended = await Promise.race([jump, silent.has(silent.received.length + 1).then(() => null)])
      if (ended) return ended
      const stopped = await on.operate('DELETE', '/clock/advance')
      await jump
      return stopped
    },
  },
]
