import { expect, onTestFinished, test } from 'vitest'
import { findListing } from '../../../src/sandbox/inventory/listings.ts'
import { recordHostedOrder, recordOrder, takeStep } from '../../../src/sandbox/sales/order-steps.ts'
import { snapshotOf } from '../../../src/sandbox/worlds/snapshots.ts'
import { end, type Served, serve } from '../../support/served.ts'
import { size } from '../../support/size.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { castMember, testWorld } from '../../support/world.ts'

/** How often the server is killed. */
const CYCLES = size(5, 15)
/** Of each kind; several batches' worth. */
const ORDERS = size(400, 1_500)
const DAY_MS = 86_400_000

/** A world with orders to be delivered and settled by a jump, and as many that can be paid out. */
function snapshotToRun(): Uint8Array<ArrayBuffer> {
  const progress = { startAfterMs: DAY_MS, completeAfterMs: DAY_MS, settleEveryMs: 3 * DAY_MS }
  const world = testWorld({ inventory: 0, progress })
  const caller = castMember(world, 'main')
  const buyer = { email: 'buyer@example.test', country: 'DE' }
  world.commits.commitNow(() => {
    for (let n = 1; n <= ORDERS; n++) {
      const domain = `live-site-${n}.test`
      const expectedPriceCents = findListing(world, domain)?.priceCents as number
      recordOrder(world, caller, { domain, expectedPriceCents, currency: 'USD', buyer })
      const urls = { returnUrl: 'https://shop.example/done', cancelUrl: 'https://shop.example/cancelled' }
      const sale = { domain: `live-site-${ORDERS + n}.test`, priceCents: 1_000 + n, buyer, linkId: null, ...urls }
      const paid = recordHostedOrder(world, { ...sale, partnerId: caller.partnerId })
      takeStep(world, paid, 'complete-transfer', null)
    }
  })
  return new Uint8Array(snapshotOf(world))
}

async function start(folder: string): Promise<Served> {
  const served = await serve('--data', folder, '--inventory', '5')
  onTestFinished(() => end(served.child, 'SIGKILL'))
  return served
}

async function ask({ operatorUrl }: Served, method: 'GET' | 'POST', path: string, body?: unknown) {
  const json = body !== undefined && {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }
  const answer = await fetch(`${operatorUrl}/v1/worlds${path}`, { method, ...json })
  if (!answer.ok) throw new Error(`${method} ${path} was answered ${answer.status}: ${await answer.text()}`)
  return answer.json()
}

/** A payout run, a jump with its automatic steps and settlement runs, and a settlement run, until the server is gone. */
async function runUntilGone(served: Served, world: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  try {
    const headers = { 'content-type': 'application/vnd.sqlite3' }
    await fetch(`${served.operatorUrl}/v1/worlds/import?name=${world}`, { method: 'POST', headers, body: bytes })
    await ask(served, 'POST', `/${world}/payout-runs`, {})
    await ask(served, 'POST', `/${world}/clock/advance`, { by: '4d' })
    await ask(served, 'POST', `/${world}/settlement-runs`, {})
  } catch (error) {
    // fetch fails with a TypeError once the server has been killed; anything else is a finding.
    if (!(error instanceof TypeError)) throw error
  }
}

test(`${CYCLES} times kill -9 amid a jump, settlement and payout runs: the next start completes a run that had begun`, async () => {
  const folder = tempFolder()
  const bytes = snapshotToRun()
  for (let cycle = 0; cycle < CYCLES; cycle++) {
    const world = `runs-${cycle}`
    let served = await start(folder)
    const running = runUntilGone(served, world, bytes)
    // Counts what others are answered meanwhile, so that the kill falls anywhere in the work.
    for (let answered = 0; answered < 2 + 8 * cycle; answered++) await ask(served, 'GET', '/default')
    await end(served.child, 'SIGKILL')
    await running
    served = await start(folder)
    const { worlds } = await ask(served, 'GET', '')
    if (worlds.some((one: { world: string }) => one.world === world)) {
      const paid = (await ask(served, 'GET', `/${world}/payout-runs`)).payout_runs
      const { settlement_runs: runs } = await ask(served, 'GET', `/${world}/settlement-runs`)
      const settled = runs.reduce((sum: number, run: { settled_count: number }) => sum + run.settled_count, 0)
      expect([world, [0, ORDERS].includes(settled), paid.length <= 1]).toEqual([world, true, true])
      expect(await ask(served, 'GET', `/${world}/audit`)).toMatchObject({ balanced: true })
      await ask(served, 'POST', `/${world}/clock/advance`, { by: '10d' })
      expect(await ask(served, 'GET', `/${world}/audit`)).toMatchObject({ balanced: true })
      expect((await ask(served, 'GET', `/${world}/summary`)).orders.SETTLED).toBe(ORDERS)
    }
    await end(served.child, 'SIGKILL')
  }
}, 300_000)
