import { expect, it } from 'vitest'
import type {
  BrokerageCase,
  CheckoutOutcome,
  ClockFacts,
  Coverage,
  CoverageRow,
  Delivery,
  DeliveryAttempt,
  DeliveryProfile,
  Fault,
  Listing,
  LoggedRequest,
  Order,
  PartnerEvent,
  Receipt,
  RegisteredEndpoint,
  Statement,
  WholeDelivery,
  WholeRequest,
  WorldFacts,
} from '../../src/index.ts'
import { startReceiver } from '../support/receiver.ts'
import { buy, shareSandbox } from './support.ts'

const openWorld = shareSandbox()

/**
 * Whether an answer has the members that its type says. The compiler holds the names against the type: none may be missing
 * and none too many.
 */
function expectMembers<Answer extends object>(answer: Answer | undefined, members: Record<keyof Answer, 0>): void {
  expect(Object.keys(answer ?? {}).sort()).toEqual(Object.keys(members).sort())
}

/** Findings are those of a proxy. */
const LOGGED: Record<keyof Omit<LoggedRequest, 'findings'>, 0> = {
  request_id: 0,
  position: 0,
  at: 0,
  world_time: 0,
  method: 0,
  target: 0,
  endpoint: 0,
  status: 0,
  code: 0,
  key_id: 0,
  credential: 0,
  reason: 0,
  refused_by: 0,
  mishap: 0,
  fault: 0,
  trace_id: 0,
  took_ms: 0,
}
const DELIVERY: Record<keyof Delivery, 0> = {
  delivery_id: 0,
  event_id: 0,
  type: 0,
  about: 0,
  domain: 0,
  partner_id: 0,
  copy: 0,
  state: 0,
  attempt_count: 0,
  last_attempt: 0,
  next_attempt_at: 0,
  created_at: 0,
}
const TOTAL = { id: 0, title: 0, met: 0, of: 0 } as const

it('orders, events and deliveries have the members that their types say', async () => {
  const world = await openWorld()
  const receiver = await startReceiver()
  await world.call('PUT', '/api/partner/webhooks', { url: receiver.url, secret: 'a-secret-of-sixteen' })
  const publicId = await buy(world, 'stalls-1.test')
  expectMembers<Order>(await world.orders.show(publicId), {
    ...{
      public_id: 0,
      domain: 0,
      status: 0,
      sale_price_cents: 0,
      currency: 0,
      payment_model: 0,
      buyer: 0,
      quote_id: 0,
    },
    external_payment_ref: 0,
    commission_cents: 0,
    amount_owed_cents: 0,
    created_at: 0,
    updated_at: 0,
    partner_id: 0,
    steps: 0,
    timeline: 0,
  })
  const event = await world.waitFor('order.recorded')
  expectMembers<PartnerEvent>(event, { id: 0, type: 0, created_at: 0, data: 0, partner_id: 0 })
  expectMembers(event.data.order, { public_id: 0, domain: 0, status: 0, sale_price_cents: 0, currency: 0 })
  const delivery = await world.waitForDelivery({ eventId: event.id })
  expectMembers<WholeDelivery>(delivery, { ...DELIVERY, body: 0, traceparent: 0, attempts: 0 })
  expectMembers<DeliveryAttempt>(delivery.attempts[0], {
    ...{
      number: 0,
      cause: 0,
      at: 0,
      url: 0,
      signature: 0,
      signature_spoilt: 0,
      probe: 0,
      status: 0,
      failure: 0,
      answer: 0,
    },
    took_ms: 0,
  })
  expectMembers<DeliveryProfile>(await world.deliveries.profile(), {
    duplicate: 0,
    reorder: 0,
    delay: 0,
    drop: 0,
    wrong_secret: 0,
    before_response: 0,
  })
  const endpoints = await world.deliveries.endpoints()
  expect(endpoints.map(({ url }) => url)).toEqual([receiver.url])
  expectMembers<RegisteredEndpoint>(endpoints[0], { partner_id: 0, url: 0, created_at: 0, updated_at: 0 })
})

it('cases and checkout sessions have the members that their types say', async () => {
  const world = await openWorld()
  const wanted = { tier: 'managed', buyer_email: 'ada@example.test', budget: 900_000, domain: 'stalls-1.test' }
  const { json } = await world.call<{ case_id: string }>('POST', '/brokerage', wanted)
  expectMembers<BrokerageCase>(await world.cases.show(json.case_id), {
    case_id: 0,
    domain: 0,
    tier: 0,
    status: 0,
    deal_price_cents: 0,
    partner_cut_cents: 0,
    currency: 0,
    buyer_email: 0,
    budget: 0,
    progress_url: 0,
    partner_share_basis_points: 0,
    created_at: 0,
    updated_at: 0,
    partner_id: 0,
    steps: 0,
    timeline: 0,
  })
  const page = { domain: 'stalls-2.test', return_url: 'https://shop.test/', cancel_url: 'https://shop.test/' }
  const session = await world.call<{ session_id: string }>('POST', '/checkout-session', page)
  expectMembers<CheckoutOutcome>(await world.checkout.pay(session.json.session_id), {
    session_id: 0,
    checkout_url: 0,
    expires_at: 0,
    status: 0,
    domain: 0,
    price_cents: 0,
    currency: 0,
    commission_cents: 0,
    partner_id: 0,
    return_url: 0,
    cancel_url: 0,
    buyer: 0,
    link_id: 0,
    public_id: 0,
    created_at: 0,
    pays_at: 0,
    actions: 0,
    outcome: 0,
  })
})

it('the log, the clock and the world have the members that their types say', async () => {
  const world = await openWorld()
  const { requestId } = await world.call('GET', '/orders')
  expectMembers<Omit<LoggedRequest, 'findings'>>((await world.requests.all())[0], LOGGED)
  expectMembers<Omit<WholeRequest, 'findings'>>(await world.requests.show(requestId), {
    ...LOGGED,
    world: 0,
    checks: 0,
    detail: 0,
    canonical_string: 0,
    diagnosis: 0,
    request: 0,
    answer: 0,
    failure: 0,
  })
  expectMembers<ClockFacts>(await world.clock.show(), {
    mode: 0,
    now: 0,
    pending: 0,
    pending_by_kind: 0,
    next_due: 0,
    next: 0,
    idle: 0,
    auth_clock: 0,
    auth_skew_seconds: 0,
    advancing: 0,
  })
  expectMembers<Receipt>(await world.clock.advance('1s'), {
    from: 0,
    to: 0,
    stopped: 0,
    counts: 0,
    happened: 0,
    truncated: 0,
  })
  const { credentials: _credentials, ...facts } = (await world.show()) as WorldFacts & { credentials: unknown }
  expectMembers<WorldFacts>(facts, {
    world: 0,
    seed: 0,
    inventory: 0,
    mode: 0,
    now: 0,
    progress: 0,
    rules: 0,
    gaps: 0,
    main_key_id: 0,
  })
})

it('domains, faults, statements and coverage have the members that their types say', async () => {
  const world = await openWorld()
  const publicId = await buy(world, 'stalls-1.test')
  await world.orders.startTransfer(publicId)
  await world.orders.completeTransfer(publicId)
  expectMembers<Listing>(await world.domains.show('stalls-1.test'), {
    domain: 0,
    price_cents: 0,
    floor_price_cents: 0,
    currency: 0,
    listed: 0,
    live_site: 0,
    topics: 0,
    status: 0,
    sold_by: 0,
    reserved_by: 0,
  })
  expectMembers<Fault>(await world.faults.add({ effect: { drop: 'before-commit' } }), {
    id: 0,
    match: 0,
    effect: 0,
    times: 0,
    probability: 0,
    seed: 0,
    hits: 0,
    left: 0,
    last_request_id: 0,
  })
  expectMembers<Statement>((await world.settle()).statements[0], {
    ...{
      statement_id: 0,
      partner_id: 0,
      period_start: 0,
      period_end: 0,
      gross_sold_cents: 0,
      order_count: 0,
      currency: 0,
    },
    commission_retained_cents: 0,
    amount_owed_cents: 0,
    adjustment_cents: 0,
  })
  const coverage = await world.coverage()
  expectMembers<Coverage>(coverage, { world: 0, seed: 0, version: 0, now: 0, since: 0, summary: 0, sections: 0 })
  expectMembers(coverage.sections[0], { ...TOTAL, rows: 0 })
  expectMembers<CoverageRow>(coverage.sections[0]?.rows[0], {
    id: 0,
    title: 0,
    state: 0,
    count: 0,
    first_at: 0,
    last_at: 0,
    happened: 0,
    says: 0,
    request_id: 0,
    hint: 0,
  })
})
