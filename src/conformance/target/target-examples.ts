import { OPERATOR_ACTIONS } from '../format/operator-actions.ts'
import type { Schema } from '../format/schema-parts.ts'

/** An example or two for every key of a target file, by its path; `[]` is an item of a list. */
const EXAMPLES: Readonly<Record<string, readonly unknown[]>> = {
  url: ['https://staging.example.test', 'http://127.0.0.1:4600'],
  mode: ['read', 'operator'],
  timeout: ['15s', '1m30s'],
  patience: [{ events: '30s', deliveries: '2m', reports: '5m', refunds: '1m' }],
  'patience.events': ['30s'],
  'patience.deliveries': ['2m'],
  'patience.reports': ['5m'],
  'patience.refunds': ['1m'],
  budget: [{ orders: 40, quotes: 40, requests: 8000, per_second: 20 }],
  'budget.orders': [40],
  'budget.quotes': [40],
  'budget.requests': [8000],
  'budget.per_second': [20, 0.5],
  credentials: [[{ name: 'main', key_id: 'pk_test_1', secret: '${env:PARTNER_SECRET}' }]],
  'credentials[].name': ['main', 'other'],
  'credentials[].key_id': ['pk_test_1', '${env:PARTNER_KEY_ID}'],
  'credentials[].secret': ['${env:PARTNER_SECRET}'],
  'credentials[].scopes': [['search', 'buy', 'webhook']],
  'credentials[].partner': ['main'],
  'credentials[].environment': ['live'],
  'credentials[].affiliate': [true],
  'credentials[].merchant_of_record': [false],
  fixtures: [{ sellable: ['first.example', 'second.example'] }],
  'fixtures.sellable': [['first.example', 'second.example']],
  'fixtures.listed': [['only-looked-at.example']],
  'fixtures.unlisted': [['never-listed.example']],
  'fixtures.live_site': [['in-use.example']],
  'fixtures.topic': [{ query: 'renewable energy', finds: ['solar-roof.example'] }],
  'fixtures.topic.query': ['renewable energy'],
  'fixtures.topic.finds': [['solar-roof.example']],
  'fixtures.webhook_url': ['https://hooks.example.test/conformance'],
  operator: [{ url: 'http://127.0.0.1:4601' }],
  'operator.url': ['http://127.0.0.1:4601'],
  'operator.token': ['${env:OPERATOR_TOKEN}'],
  'operator.world': ['default'],
  'operator.actions': [{ payout: { request: 'POST https://staging.example.test/ops/payout' } }],
  receiver: [{ listen: '0.0.0.0:9000', public_url: 'https://ci.example.test:${port}' }],
  'receiver.listen': ['127.0.0.1:0', '0.0.0.0:9000'],
  'receiver.public_url': ['https://ci.example.test:${port}'],
  dialect: [{ price_unit: 'units', statuses: { held: 'ON_HOLD' } }],
  'dialect.price_unit': ['units'],
  'dialect.params': [{ 'orders.cursor': 'page_token' }],
  'dialect.params.orders.domain': ['domain_name'],
  'dialect.params.orders.from': ['created_after'],
  'dialect.params.orders.to': ['created_before'],
  'dialect.params.orders.cursor': ['page_token'],
  'dialect.params.orders.limit': ['per_page'],
  'dialect.params.reports.from': ['since'],
  'dialect.params.reports.to': ['until'],
  'dialect.params.reports.cursor': ['page_token'],
  'dialect.params.reports.limit': ['per_page'],
  'dialect.bodies': [{ quote: { name: '${domain}' } }],
  'dialect.bodies.order': [{ domain: '${domain}', expected_price: '${price}', external_payment_ref: '${ref}' }],
  'dialect.bodies.quote': [{ name: '${domain}', currency: '${currency}' }],
  'dialect.bodies.checkout': [{ domain: '${domain}', return_url: 'https://shop.example/thanks' }],
  'dialect.bodies.refund': [{ order: '${public_id}', reason: 'changed their mind' }],
  'dialect.bodies.brokerage': [
    { domain: '${domain}', tier: 'managed', buyer_email: 'jo@buyer.example', budget: 250_000 },
  ],
  'dialect.bodies.link': [{ kind: 'generic' }],
  'dialect.bodies.link_domain': [{ kind: 'domain', target: '${domain}' }],
  'dialect.bodies.link_product': [{ kind: 'product', product: 'checkout' }],
  'dialect.bodies.webhook': [{ url: '${url}', secret: '${secret}' }],
  'dialect.roles': [
    { 'listing.price': { at: '/data/price', unit: 'units' }, 'orders.list:orders.next': 'header:Link' },
  ],
  'dialect.statuses': [{ held: 'ON_HOLD' }],
  'dialect.statuses.held': ['ON_HOLD'],
  'dialect.statuses.refunded': ['REFUNDED'],
  'dialect.statuses.cancelled': ['VOIDED'],
  'dialect.payment_models': [{ brokerage: 'broker' }],
  'dialect.payment_models.partner_collected': ['external'],
  'dialect.payment_models.hosted_checkout': ['hosted'],
  'dialect.payment_models.brokerage': ['broker'],
  pins: [{ 'AUTH-17/replay_detected': 409 }],
}

const ACTION_PARTS: Readonly<Record<string, readonly unknown[]>> = {
  headers: [{ authorization: 'Bearer ${env:OPERATOR_TOKEN}' }],
}

/** The same schema with an example at every key, which editors offer beside its description. */
export function withExamples(schema: Schema): Schema {
  return shown(schema, '')
}

function shown(schema: Schema, path: string): Schema {
  const { properties, items } = schema as { properties?: Record<string, Schema>; items?: Schema }
  const examples = EXAMPLES[path] ?? ofAction(path)
  return {
    ...schema,
    ...(examples ? { examples } : {}),
    ...(properties
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([key, inner]) => [key, shown(inner, path === '' ? key : `${path}.${key}`)]),
          ),
        }
      : {}),
    ...(items ? { items: shown(items, `${path}[]`) } : {}),
  }
}

const ACTION_PATH = /^operator\.actions\.([a-z_]+)(?:\.([a-z]+))?$/

/** One request an action, with everything that fills it in. */
function ofAction(path: string): readonly unknown[] | undefined {
  const [, name = '', part] = ACTION_PATH.exec(path) ?? []
  if (!Object.hasOwn(OPERATOR_ACTIONS, name)) return undefined
  const { fills } = OPERATOR_ACTIONS[name as keyof typeof OPERATOR_ACTIONS]
  const request = `POST https://staging.example.test/ops/${name}`
  const json = Object.fromEntries(fills.map((fill) => [fill, `\${${fill}}`]))
  if (part === undefined) return [{ request, json }]
  return part === 'request' ? [request] : part === 'json' ? [json] : ACTION_PARTS[part]
}
