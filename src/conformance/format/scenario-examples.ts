import type { Schema } from './schema-parts.ts'

/** An example for each key of a scenario, by the part of the schema it belongs to; what editors offer beside its description. */
const EXAMPLES: Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>> = {
  scenario: {
    title: ['A price other than the listing price is refused and nothing is recorded'],
    why: ['The history is read as well, because an answer alone does not show that nothing was recorded.'],
    proves: [['ORD-03'], []],
    needs: [
      ['scope.buy', 'scope.webhook', 'fixture.sellable'],
      ['fixture.sellable(2)', 'operator.advance_clock'],
    ],
    tags: [['orders', 'pricing']],
    effects: [{ orders: 1 }],
    vars: [{ key: '${uuid}' }],
    steps: [[{ id: 'first', call: { op: 'availability', query: { domain: '${listed.domain}' } }, expect: 'accepted' }]],
    cleanup: [[{ operator: { skew_clock: '0s' } }]],
  },
  effects: {
    orders: [1],
    quotes: [2],
    checkout_sessions: [1],
    cases: [1],
    links: [1],
    refunds: [1],
    webhooks: [1],
    clock: [true],
    settlement: [true],
    exclusive: [true],
  },
  body: {
    like: ['first'],
    bytes_of: ['first'],
    set: [{ domain: '${sellable[1].domain}', 'buyer.email': 'a@b.example' }],
    unset: [['return_url']],
    raw: ['{"domain":'],
    json: [{ any: ['thing'] }],
    format: ['reordered'],
  },
  call: {
    op: ['orders.create', 'availability'],
    method: ['DELETE'],
    target: ['/api/partner/v1/nowhere'],
    path: [{ public_id: '${made.order.public_id}' }],
    query: [
      { status: 'EXTERNALLY_PAID', 'limit?': 1 },
      [
        ['b', '2'],
        ['a', '1'],
      ],
    ],
    query_raw: ['q=a%20b&&x'],
    idempotency_key: ['${vars.key}'],
    body: [{ set: { expected_price: '${sellable.price + 100}' } }],
    content_type: ['text/plain'],
    headers: [{ 'Accept-Language': 'de' }],
    all_pages: [true],
  },
  burst: {
    lanes: [8],
    share: [['idempotency_key', 'body'], ['request']],
    overlap: [2],
    call: [{ op: 'orders.create' }],
  },
  events: {
    type: ['order.recorded'],
    where: [{ 'data.order.domain': '${sellable.domain}' }],
    since: ['before'],
    within: ['10s'],
  },
  quiet: {
    events: ['order.recorded'],
    hook: ['main'],
    where: [{ 'data.order.domain': '${sellable.domain}' }],
    since: ['before'],
    for: ['2s'],
  },
  until: {
    call: [{ op: 'orders.detail', path: { public_id: '${made.order.public_id}' } }],
    within: ['30s'],
    every: ['1s'],
  },
  hook: {
    name: ['second'],
    answer: [500, 'hang_up', { after: '6s', status: 200 }, { redirect: 'https://elsewhere.example/' }],
    times: [1],
    type: ['order.recorded'],
    where: [{ 'data.order.domain': '${sellable.domain}' }],
  },
  receive: {
    hook: ['second'],
    type: ['order.recorded'],
    where: [{ 'data.order.public_id': '${made.order.public_id}' }],
    since: ['made'],
    within: ['10s'],
  },
  submit: {
    button: ['pay'],
    page: ['page'],
    fill: [{ email: 'jo@buyer.example' }],
    alter: [{ query: 'pt', at: [0, 5, -1] }],
  },
  expectation: {
    accepted: [true],
    authenticated: [true],
    key_pair: [true],
    refused: ['price_mismatch', ['conflict', 'rate_limited'], true],
    tolerate: [['invalid_signature']],
    status: [409, [200, 201]],
    roles: [{ 'order.status': 'EXTERNALLY_PAID', 'listing.price': { at_least: 1 } }],
    headers: [{ 'content-type': { contains: 'json' } }],
    same_as: ['first', { step: 'first', by: 'bytes' }],
    equal: [['${one.order.public_id}', '${two.order.public_id}']],
    differ: [['${one.quote.id}', '${two.quote.id}']],
    items: ['orders.items'],
    distinct: ['order.public_id'],
    among: ['accepted'],
    count: [1, { at_least: 2 }],
    at_most: [5],
    includes: [{ 'order.public_id': '${made.order.public_id}' }],
    excludes: [{ 'order.public_id': '${other.order.public_id}' }],
    every: [{ 'delivery.signed': true }],
    sorted: [{ by: 'created_at', order: 'ascending' }],
    sums: [{ of: 'transaction.amount', to: '${report.transactions.gmv}' }],
    running: [{ of: 'ledger.amount', is: 'ledger.balance', by: 'ledger.kind' }],
    matches: ['[Pp]rice'],
    lacks: [['${credential.secret}']],
    hides_cause: [true],
    open: ['EVT-04'],
    says: ['the refusal names the wrong field'],
    shows: ['ORD-03', ['ORD-03', 'ERR-01']],
  },
  observation: { gap: ['AUTH-17'], take: ['outcome', 'status'], as: ['replay_detected'] },
  step: {
    id: ['too_high'],
    as: ['other_partner', { only: 'search' }, { without: 'buy' }],
    call: [{ op: 'availability', query: { domain: '${listed.domain}' } }],
    resend: ['first'],
    retry: ['limited'],
    burst: [{ lanes: 8, share: ['idempotency_key', 'body'], call: { op: 'orders.create' } }],
    operator: [{ advance_clock: '10m30s' }, { start_transfer: '${made.order.public_id}' }],
    else: [[{ wait: '10m30s' }, { ask: "Move the target's clock 10 min 30 s ahead" }, 'not_run']],
    mark: ['events'],
    events: [{ type: 'order.recorded', where: { 'data.order.domain': '${sellable.domain}' } }],
    quiet: [{ events: 'order.recorded', where: { 'data.order.domain': '${sellable.domain}' } }],
    until: [{ call: { op: 'orders.list' }, within: '30s' }],
    hook: [{ answer: 500, times: 1 }],
    receive: [{ type: 'order.recorded' }],
    open: ['${session.checkout.url}', { url: '${session.checkout.url}', alter: { query: 'pt', at: 'each' } }],
    submit: [{ button: 'pay' }],
    fault: [{ timestamp: { shift: -400 } }, { nonce: { reuse: 'first' } }, { body: { unset: 'domain' } }],
    twin_shows: ['NONCE-03'],
    expect: ['accepted', { refused: 'replay_detected', shows: 'NONCE-02' }],
    observe: ['AUTH-17', { gap: 'AUTH-17', take: 'status', as: 'replay_detected' }],
  },
}

/** Whole steps to begin with, as editors with snippets insert them. */
const STEP_SNIPPETS = [
  {
    label: 'a refused read with one fault',
    body: {
      id: '${1:step}',
      call: { op: '${2:availability}', query: { domain: '\\${listed.domain\\}' } },
      fault: { '${3:signature}': '${4:no_prefix}' },
      expect: { refused: true, shows: '${5:AUTH-07}' },
    },
  },
  {
    label: 'a refused write',
    body: {
      id: '${1:step}',
      call: { op: '${2:orders.create}', body: { set: { '${3:expected_price}': '\\${sellable.price + 100\\}' } } },
      expect: { refused: '${4:price_mismatch}', shows: '${5:ORD-03}' },
    },
  },
  { label: 'an open point', body: { id: '${1:step}', call: { op: '${2:availability}' }, observe: '${3:AUTH-17}' } },
]

/** The schema as editors get it: with examples, and with steps to begin with. */
export function withScenarioExamples(schema: Schema): Schema {
  const definitions = Object.entries(schema.definitions as Record<string, Schema>).map(([name, definition]) => [
    name,
    exemplified(name, definition),
  ])
  return { ...exemplified('scenario', schema), definitions: Object.fromEntries(definitions) }
}

function exemplified(name: string, schema: Schema): Schema {
  const { properties } = schema as { properties?: Record<string, Schema> }
  if (!properties) return schema
  const shown = Object.entries(properties).map(([key, inner]) => {
    const examples = EXAMPLES[name]?.[key]
    return [key, examples ? { ...inner, examples } : inner]
  })
  const snippets = name === 'step' ? { defaultSnippets: STEP_SNIPPETS } : {}
  return { ...schema, ...snippets, properties: Object.fromEntries(shown) }
}
