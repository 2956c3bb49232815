import { expect, test } from 'vitest'
import { targetOf } from '../../src/operator-api/address.ts'
import {
  type AnswerOf,
  OPERATION_IDS,
  type OperationId,
  operationOf,
  type ParamsOf,
} from '../../src/operator-api/operations.ts'
import { createSession } from '../support/checkout.ts'
import type { SeenAnswer } from '../support/documented.ts'
import { register, SECRET, settled } from '../support/hooks.ts'
import { expectOperatorAnswer } from '../support/operator-documented.ts'
import { startReceiver } from '../support/receiver.ts'
import { startSandbox, type TestSandbox } from '../support/sandbox.ts'

/** The operations that answer JSON. */
const ANSWERING = OPERATION_IDS.filter((id) => operationOf(id).returns)

/** Asks for operations of one sandbox, whose answers are held against the OpenAPI document, and keeps the answers. */
function asker(sandbox: TestSandbox) {
  const seen = new Map<OperationId, SeenAnswer>()

  async function ask<Id extends OperationId>(
    id: Id,
    params: Partial<ParamsOf<Id>> = {},
    input?: object | Buffer,
  ): Promise<AnswerOf<Id>> {
    const { method, path, takes } = operationOf(id)
    const isWriting = method !== 'GET' && method !== 'DELETE'
    const target = targetOf(path, { w: 'default', ...params }, isWriting ? undefined : input)
    const answer =
      takes && Buffer.isBuffer(input)
        ? await sent(sandbox, { method, target, type: takes.type, body: input })
        : await sandbox.operate(method, target, isWriting ? (input ?? {}) : undefined)
    expect([id, answer.status, answer.text]).toEqual([id, expect.toBeOneOf([200, 201]), expect.any(String)])
    seen.set(id, { ...answer, method, target })
    return JSON.parse(answer.text) as AnswerOf<Id>
  }

  return { ask, seen }
}

/** What is not sent as JSON. */
async function sent(
  sandbox: TestSandbox,
  { method, target, type, body }: { method: string; target: string; type: string; body: Buffer },
): Promise<Omit<SeenAnswer, 'method' | 'target'>> {
  const headers = { 'content-type': type }
  const answer = await fetch(`${sandbox.operator?.url}${target}`, { method, headers, body: new Uint8Array(body) })
  const seen = { status: answer.status, headers: Object.fromEntries(answer.headers), text: await answer.text() }
  expectOperatorAnswer({ ...seen, method, target })
  return seen
}

type Ask = ReturnType<typeof asker>['ask']

const NOON_MS = Date.UTC(2026, 0, 15, 12)

test('every operation that answers JSON answers what its schema says, and a change of any answer is noticed', async () => {
  const sandbox = await startSandbox({ clockMs: NOON_MS, frozen: true, inventory: 20 })
  const { ask, seen } = asker(sandbox)
  await stopAJump(sandbox, ask)
  await sellAndSettle(sandbox, ask)
  await sellHosted(sandbox, ask)
  await broker(sandbox, ask)
  await send(sandbox, ask)
  await refuse(sandbox, ask)
  await readTheRest(ask)
  await changeWorlds(sandbox, ask)
  expect(ANSWERING.filter((id) => !seen.has(id))).toEqual([])

  for (const [id, answer] of seen) {
    const { [Object.keys(JSON.parse(answer.text))[0] as string]: first, ...others } = JSON.parse(answer.text)
    const changed = [others, { ...others, another: first }, { ...JSON.parse(answer.text), more: 1 }]
    // A document of OpenAPI may have further members.
    for (const body of id === 'sandbox.openapi' ? changed.slice(0, 2) : changed)
      expect(() => expectOperatorAnswer({ ...answer, text: JSON.stringify(body) }), id).toThrow('undocumented answer')
  }
})

/** A jump waits for a receiver that does not answer again, and is stopped. */
async function stopAJump(sandbox: TestSandbox, ask: Ask): Promise<void> {
  let release = () => {}
  const hook = await startReceiver((response, _received, n) => {
    const answer = () => void response.writeHead(n === 1 ? 500 : 200).end()
    if (n === 2) release = answer
    else answer()
  })
  await register(sandbox, hook.url)
  await sandbox.sell()
  await settled(sandbox)
  const jump = ask('clock.advance', {}, { by: '2d' })
  await hook.has(2)
  expect((await ask('clock.show')).advancing).not.toBeNull()
  const { stopped } = await ask('clock.stop')
  expect([stopped, (await jump).stopped]).toEqual([true, true])
  release()
}

async function sellAndSettle(sandbox: TestSandbox, ask: Ask): Promise<void> {
  await ask('progress.set', {}, { start_after: null, complete_after: null, settle_every: '7d' })
  const orders = [await sandbox.sell(), await sandbox.sell(), await sandbox.sell()].map(({ json }) => json.public_id)
  const [delivered, refunded, cancelled] = orders.map((public_id: string) => ({ public_id })) as [Id, Id, Id]
  await ask('orders.hold', delivered, { reason: 'to look at it' })
  await ask('orders.clear', delivered)
  await ask('orders.startTransfer', delivered)
  const { timeline } = await ask('orders.completeTransfer', delivered)
  expect(timeline.at(-1)?.status).toBe('TRANSFER_COMPLETED')
  await ask('orders.refund', refunded)
  await ask('orders.cancel', cancelled)
  await ask('orders.show', delivered)
  const { run_id } = await ask('settlementRuns.create')
  await ask('settlementRuns.show', { run_id })
}

interface Id {
  public_id: string
}

async function sellHosted(sandbox: TestSandbox, ask: Ask): Promise<void> {
  const session = async () => ({ session_id: (await createSession(sandbox)).json.session_id as string })
  const paid = await session()
  await ask('checkout.decline', paid)
  const { public_id } = await ask('checkout.pay', paid, { buyer: { name: 'Jo Doe' } })
  await ask('checkout.cancel', await session())
  await ask('checkout.show', paid)
  await ask('orders.completeTransfer', { public_id: public_id ?? '' })
  await sandbox.call({ path: '/links', body: { kind: 'generic' } })
}

async function broker(sandbox: TestSandbox, ask: Ask): Promise<void> {
  const opened = async () => {
    const body = { tier: 'managed', buyer_email: 'b@example.test', budget: 100_000 }
    return { case_id: (await sandbox.call({ path: '/brokerage', body })).json.case_id as string }
  }
  const won = await opened()
  await ask('cases.negotiate', won)
  await ask('cases.closeDeal', won, { price_cents: 90_000 })
  await ask('cases.closeNoDeal', await opened())
  await ask('cases.show', won)
  const { payouts, run_id } = await ask('payoutRuns.create')
  expect(payouts.length).toBeGreaterThan(0)
  await ask('payoutRuns.show', { run_id })
  await ask('ledger.list', {}, { partner_id: payouts[0]?.partner_id })
}

/** Webhooks, with what goes wrong about them on purpose. */
async function send(sandbox: TestSandbox, ask: Ask): Promise<void> {
  await settled(sandbox)
  await ask('deliveryProfile.set', {}, { duplicate: 1, delay: '5m' })
  const { deliveries } = await ask('deliveries.list', {}, { state: 'delivered' })
  const delivered = { delivery_id: deliveries[0]?.delivery_id ?? '' }
  await ask('deliveries.redeliver', delivered)
  await ask('deliveries.probe', delivered)
  expect((await ask('deliveries.show', delivered)).attempts.length).toBeGreaterThan(1)
  await ask('events.show', { event_id: deliveries[0]?.event_id ?? '' })
}

/** Calls that are refused, each in its own way, and what the log says of them. */
async function refuse(sandbox: TestSandbox, ask: Ask): Promise<void> {
  await ask('faults.add', {}, { effect: { garbage: 'truncated' }, match: { endpoint: 'events.list' }, times: null })
  await ask('faults.add', {}, { effect: { code: 'rate_limited', retry_after: 2 }, probability: 0.5, seed: 'a' })
  const raw = { undocumented: true }
  await sandbox.call({ path: '/events', ...raw })
  await sandbox.call({ path: '/orders', signs: { secret: SECRET }, ...raw })
  await sandbox.call({ path: '/quotes', body: { domain: 7 }, signs: { body: Buffer.from('{}') }, ...raw })
  await sandbox.call({ path: '/quotes', body: { domain: 7 }, ...raw })
  await sandbox.call({ path: '/orders/ord_none?q=%C3%A9', ...raw })
  const { requests } = await ask('requests.list')
  for (const { request_id } of requests) await ask('requests.show', { request_id })
  await ask('requests.find', { request_id: requests[0]?.request_id ?? '' })
}

/** Lists, settings and credentials. */
async function readTheRest(ask: Ask): Promise<void> {
  for (const id of ['sandbox.show', 'sandbox.openapi', 'magic.list', 'gaps.list', 'gaps.show'] as const) await ask(id)
  await ask('rules.set', {}, { review: { price_above_cents: 1_000 } })
  await ask('rateLimit.set', {}, { requests: 1_000, seconds: 1 })
  await ask('hints.set', {}, { hints: true })
  await ask('clock.set', {}, { auth_skew_seconds: 5 })
  await ask('domains.create', {}, { domain: 'fresh.test', price_cents: 1_000, topics: ['tea'] })
  await ask('domains.create', {}, Buffer.from('domain,price_cents\nmany.test,1000\n'))
  await ask('domains.set', { name: 'fresh.test' }, { listed: false })
  await ask('domains.show', { name: 'fresh.test' })
  const { key_id } = await ask('credentials.create', {}, { name: 'fresh', scopes: ['search'], partner: 'new' })
  await ask('credentials.set', { key_id }, { revoked: true })
  await ask('credentials.rotate', { key_id })
  await ask('signatures.create', { key_id }, { canonical_string: 'GET' })
  const lists = ANSWERING.filter((id) => /\.(?:list|show)$/.test(id) && !/\{(?!w\})/.test(operationOf(id).path))
  for (const id of lists.filter((one) => one !== 'ledger.list')) await ask(id)
}

/** Worlds of any age: a month of sales, its copy, its snapshot. */
async function changeWorlds(sandbox: TestSandbox, ask: Ask): Promise<void> {
  const world = await ask(
    'worlds.create',
    {},
    { name: 'other', gaps: { 'skew-edge': 'refused', 'created-status': 200 } },
  )
  expect(world.gaps).toEqual({ 'skew-edge': 'refused', 'created-status': 200 })
  const w = { w: 'other' }
  await ask('worlds.seed', w, { orders: 40 })
  for (const id of [
    'orders.list',
    'checkout.list',
    'cases.list',
    'events.list',
    'links.list',
    'deliveries.list',
  ] as const)
    await ask(id, w, { limit: 100 })
  for (const id of ['settlementRuns.list', 'payoutRuns.list', 'audit.show', 'coverage.show', 'worlds.summary'] as const)
    await ask(id, w)
  await ask('worlds.fork', w, { name: 'copy' })
  const snapshot = await fetch(`${sandbox.operator?.url}/v1/worlds/other/snapshot`)
  const file = Buffer.from(await snapshot.arrayBuffer())
  await ask('snapshots.restore', { w: 'copy' }, file)
  await ask('worlds.reset', w)
  await sandbox.operate('DELETE', '/v1/worlds/other')
  await ask('worlds.import', {}, file)
  await ask('worlds.list')
}
