import { CASE_STEP_NAMES } from '../../../src/contract/case-states.ts'
import { OPERATOR_STEPS, ORDER_STEPS, type OrderStepName } from '../../../src/contract/order-states.ts'
import type { Breakable } from '../../support/breakable.ts'
import type { Act } from '../../support/every-fault.ts'
import { stepsTo } from '../../support/order-ways.ts'
import { castMember, TEST_NOW_MS } from '../../support/world.ts'
import { brokered, session, sold, soldAnd, sound, tellPartner, told, transferred } from './setting.ts'

const W = '/v1/worlds/{w}'

/** The steps to the furthest state in which a step may be taken. */
function wayTo(step: OrderStepName): readonly OrderStepName[] {
  const ways = ORDER_STEPS[step].from.map((state) => stepsTo(state, OPERATOR_STEPS))
  return ways.findLast((way) => way !== null) ?? []
}

/** An operation that needs nothing before it. */
function plain(method: 'POST' | 'PUT', path: string, body: object): Act {
  return { name: `${method} ${W}${path}`, act: (on) => on.operate(method, path, body) }
}

const orderSteps = OPERATOR_STEPS.map(
  (step): Act => ({
    name: `POST ${W}/orders/{public_id}/${step}`,
    prepare: told((on) => soldAnd(on, step === 'start-transfer' ? 'fails-1.test' : 'stalls-1.test', wayTo(step))),
    act: (on, { public_id }) => on.operate('POST', `/orders/${public_id}/${step}`, { reason: 'because' }),
  }),
)

const caseSteps = CASE_STEP_NAMES.map(
  (step): Act => ({
    name: `POST ${W}/brokerage/{case_id}/${step}`,
    prepare: told((on) => brokered(on)),
    act: (on, { case_id }) =>
      on.operate('POST', `/brokerage/${case_id}/${step}`, step === 'close-deal' ? { price_cents: 70_000 } : {}),
  }),
)

const sessionActs = ['pay', 'decline', 'cancel'].map(
  (deed): Act => ({
    name: `POST ${W}/checkout-sessions/{session_id}/${deed}`,
    ...(deed === 'decline' && { changesNothing: true }),
    prepare: told((on) => session(on)),
    act: (on, { session_id }) => on.operate('POST', `/checkout-sessions/${session_id}/${deed}`, {}),
  }),
)

const runs: readonly Act[] = [
  { name: `POST ${W}/settlement-runs`, prepare: transferred, act: (on) => on.operate('POST', '/settlement-runs') },
  {
    name: `POST ${W}/payout-runs`,
    async prepare(on) {
      await transferred(on)
      const { case_id } = await brokered(on)
      sound(await on.operate('POST', `/brokerage/${case_id}/close-deal`, { price_cents: 70_000 }))
      sound(await on.operate('POST', '/settlement-runs'))
      return {}
    },
    act: (on) => on.operate('POST', '/payout-runs'),
  },
]

const keyOf = (on: Breakable, name = 'only-buy') => castMember(on.world(), name).keyId

const credentials: readonly Act[] = [
  plain('POST', '/credentials', { name: 'fresh', scopes: ['search'], partner: 'new' }),
  {
    name: `PATCH ${W}/credentials/{key_id}`,
    act: (on) =>
      on.operate('PATCH', `/credentials/${keyOf(on)}`, { scopes: ['search'], affiliate: false, revoked: true }),
  },
  {
    name: `POST ${W}/credentials/{key_id}/rotate`,
    act: (on) => on.operate('POST', `/credentials/${keyOf(on)}/rotate`),
  },
  {
    name: `DELETE ${W}/credentials/{key_id}`,
    async prepare(on) {
      sound(await on.operate('POST', '/faults', { match: { credential: 'only-buy' }, effect: { status: 500 } }))
      return { key: keyOf(on) }
    },
    act: (on, { key }) => on.operate('DELETE', `/credentials/${key}`),
  },
]

const signature: Act = {
  name: `POST ${W}/credentials/{key_id}/signatures`,
  changesNothing: true,
  act: (on) => on.operate('POST', `/credentials/${keyOf(on)}/signatures`, { canonical_string: 'GET' }),
}

const withFault = async (on: Breakable) => {
  const made = sound(await on.operate('POST', '/faults', { effect: { status: 500 }, times: null }))
  return { id: made.id as string }
}

const faults: readonly Act[] = [
  plain('POST', '/faults', { match: { credential: 'main' }, effect: { code: 'internal_error' } }),
  { name: `DELETE ${W}/faults/{id}`, prepare: withFault, act: (on, { id }) => on.operate('DELETE', `/faults/${id}`) },
  { name: `DELETE ${W}/faults`, prepare: withFault, act: (on) => on.operate('DELETE', '/faults') },
]

const CSV = 'domain,price_cents,topics\ncsv-one.test,1000,garden;tea\ncsv-two.test,2000,\ncsv-three.test,3000,sea\n'

const withDomain = async (on: Breakable) =>
  sound(await on.operate('POST', '/domains', { domain: 'fresh.test', price_cents: 1_000 }))

const domains: readonly Act[] = [
  plain('POST', '/domains', { domain: 'fresh.test', price_cents: 1_000, topics: ['tea'] }),
  { name: `POST ${W}/domains (many)`, act: (on) => on.operate('POST', '/domains', CSV, 'text/csv') },
  {
    name: `PATCH ${W}/domains/{name}`,
    prepare: withDomain,
    act: (on) => on.operate('PATCH', '/domains/fresh.test', { price_cents: 2_000, topics: ['sea', 'tea'] }),
  },
  {
    name: `DELETE ${W}/domains/{name}`,
    prepare: withDomain,
    act: (on) => on.operate('DELETE', '/domains/fresh.test'),
  },
]

const settings: readonly Act[] = [
  plain('PUT', '/progress', { start_after: '10m', settle_every: '7d' }),
  plain('PUT', '/rules', { commission: { brokerage_basis_points: 1 }, review: { price_above_cents: 5 } }),
  plain('PUT', '/hints', { hints: true }),
  plain('PUT', '/rate-limit', { requests: 50, seconds: 5 }),
  plain('PUT', '/delivery-profile', { duplicate: 2, delay: '5m' }),
  {
    name: `DELETE ${W}/coverage`,
    prepare: async (on) => sold(on, 'stalls-1.test'),
    act: (on) => on.operate('DELETE', '/coverage'),
  },
]

const clock: readonly Act[] = [
  plain('PUT', '/clock', { auth_clock: 'world', auth_skew_seconds: 0 }),
  {
    name: `PUT ${W}/clock (moved)`,
    inSteps: true,
    prepare: sellMuch,
    act: (on) => on.operate('PUT', '/clock', { now: new Date(TEST_NOW_MS + 3_600_000).toISOString() }),
  },
  {
    name: `POST ${W}/clock/advance`,
    inSteps: true,
    prepare: sellMuch,
    act: (on) => on.operate('POST', '/clock/advance', { to: new Date(TEST_NOW_MS + 30 * 86_400_000).toISOString() }),
  },
]

/** Much that falls due in a month. */
async function sellMuch(on: Breakable) {
  sound(await on.operate('PUT', '/progress', { start_after: '1h', complete_after: '1d', settle_every: '7d' }))
  await sold(on, 'taken-by-me.test').catch(() => null)
  sound(await on.call('POST', '/quotes', { domain: 'stalls-2.test' }))
  return {}
}

/** Every operation on a world itself. */
export const WORLD_ACTS: readonly Act[] = [
  {
    name: 'POST /v1/worlds',
    act: (on) =>
      on.operate('POST', '/v1/worlds', {
        name: 'fresh',
        seed: 'another',
        inventory: 3,
        frozen: true,
        clock: '2026-01-15T12:00:00Z',
      }),
  },
  { name: `DELETE ${W}`, prepare: (on) => sold(on, 'stalls-1.test'), act: (on) => on.operate('DELETE', '') },
  {
    name: `POST ${W}/reset`,
    async prepare(on) {
      await tellPartner(on)
      sound(await on.operate('POST', '/credentials', { name: 'fresh', scopes: [] }))
      return sold(on, 'stalls-1.test')
    },
    act: (on) => on.operate('POST', '/reset'),
  },
  {
    name: `GET ${W}/snapshot`,
    changesNothing: true,
    prepare: (on) => sold(on, 'stalls-1.test'),
    async act(on) {
      const { text, ...told } = await on.operate('GET', '/snapshot')
      return { ...told, text: told.status === 200 ? '' : text }
    },
  },
  {
    name: `PUT ${W}/snapshot`,
    async prepare(on) {
      await sold(on, 'stalls-1.test')
      const snapshot = on.copy().toString('base64')
      await sold(on, 'stalls-2.test')
      return { snapshot }
    },
    act: (on, { snapshot = '' }) =>
      on.operate('PUT', '/snapshot', Buffer.from(snapshot, 'base64'), 'application/vnd.sqlite3'),
  },
  {
    name: `POST ${W}/fork`,
    prepare: (on) => sold(on, 'stalls-1.test'),
    act: (on) => on.operate('POST', '/fork', { name: 'forked' }),
  },
  {
    name: 'POST /v1/worlds/import',
    async prepare(on) {
      await sold(on, 'stalls-1.test')
      return { snapshot: on.copy().toString('base64') }
    },
    act: (on, { snapshot = '' }) =>
      on.operate('POST', '/v1/worlds/import?name=imported', Buffer.from(snapshot, 'base64'), 'application/vnd.sqlite3'),
  },
]

export const OPERATIONS: readonly Act[] = [
  ...orderSteps,
  ...caseSteps,
  ...sessionActs,
  ...runs,
  ...credentials,
  signature,
  ...faults,
  ...domains,
  ...settings,
  ...clock,
]
