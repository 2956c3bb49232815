import { ENDPOINT_IDS } from '../../contract/endpoint-ids.ts'
import {
  anything,
  byType,
  flag,
  list,
  number,
  oneOf,
  partial,
  record,
  type Schema,
  string,
  type TypeOf,
  whole,
  withExamples,
} from '../../contract/schema.ts'
import { SCOPES } from '../../contract/scopes.ts'
import { OPERATOR_ACTIONS } from '../format/operator-actions.ts'
import { ROLE_NAMES } from '../format/roles.ts'
import { DURATION } from '../format/values.ts'

/** An address, or one that the environment has. */
export const HTTP_ADDRESS = { pattern: '^(https?://|\\$\\{env:)' }

/** One request of each action, with everything that fills it in. */
const ACTIONS = Object.entries(OPERATOR_ACTIONS).map(([name, { about, fills }]) => {
  const request = `POST https://staging.example.test/ops/${name}`
  const json = Object.fromEntries(fills.map((fill) => [fill, `\${${fill}}`]))
  const schema = partial(
    `${about}; fills in ${fills.map((fill) => `\${${fill}}`).join(', ')}`,
    {
      request: withExamples(
        string('Verb and address: POST https://...', { pattern: '^(GET|POST|PUT|PATCH|DELETE) https?://' }),
        request,
      ),
      headers: withExamples(record('Headers.', { values: string() }), {
        authorization: 'Bearer ${env:OPERATOR_TOKEN}',
      }),
      json: withExamples(anything('Body.'), json),
    },
    { required: ['request'] },
  )
  return [name, withExamples(schema, { request, json })] as const
})

export const OPERATOR = partial('How to move what the staff of the service would move.', {
  url: withExamples(string('Operator address of a running sandbox.', HTTP_ADDRESS), 'http://127.0.0.1:4601'),
  token: withExamples(string('Its bearer token.'), '${env:OPERATOR_TOKEN}'),
  world: withExamples(string('Its world; default where absent.'), 'default'),
  actions: withExamples(
    partial(
      'One request an action, for any other target. ${...} is filled in with its arguments. The answer is 2xx, too, where nothing is left to do.',
      Object.fromEntries(ACTIONS),
    ),
    { payout: { request: 'POST https://staging.example.test/ops/payout' } },
  ),
})

/** Parameters whose names the document leaves open, with a name that a target may have for them. */
export const OPEN_PARAMS = {
  'orders.domain': 'domain_name',
  'orders.from': 'created_after',
  'orders.to': 'created_before',
  'orders.cursor': 'page_token',
  'orders.limit': 'per_page',
  'reports.from': 'since',
  'reports.to': 'until',
  'reports.cursor': 'page_token',
  'reports.limit': 'per_page',
} as const satisfies Record<string, string>

export type OpenParam = keyof typeof OPEN_PARAMS

const PARAM: Schema<string> = string('The name this target uses.', { minLength: 1 })
const PARAMS = Object.fromEntries(
  Object.entries(OPEN_PARAMS).map(([name, example]) => [name, withExamples(PARAM, example)]),
) as Record<OpenParam, Schema<string>>

function body(name: string, example: Record<string, unknown>): Schema<Record<string, unknown>> {
  return withExamples(record(`Body of ${name}.`), example)
}

/** Request bodies that the document leaves open, or that a target may be choosy about. */
const BODIES = {
  order: body('order', { domain: '${domain}', expected_price: '${price}', external_payment_ref: '${ref}' }),
  order_sparse: body('order with nothing that may be left out', {
    domain: '${domain}',
    expected_price: '${price}',
  }),
  quote: body('quote', { name: '${domain}', currency: '${currency}' }),
  checkout: body('checkout', { domain: '${domain}', return_url: 'https://shop.example/thanks' }),
  refund: body('refund', { order: '${public_id}', reason: 'changed their mind' }),
  brokerage: body('brokerage', {
    domain: '${domain}',
    tier: 'managed',
    buyer_email: 'jo@buyer.example',
    budget: 250_000,
  }),
  link: body('link', { kind: 'generic' }),
  link_domain: body('link to a domain', { kind: 'domain', target: '${domain}' }),
  link_product: body('link to a product', { kind: 'product', product: 'checkout' }),
  webhook: body('webhook', { url: '${url}', secret: '${secret}' }),
}

export type BodyName = keyof typeof BODIES

export const BODY_NAMES = Object.keys(BODIES) as BodyName[]

const DOMAIN = string(undefined, { pattern: '^[^\\s/]+\\.[^\\s/]+$' })

const CREDENTIAL = partial(
  'One credential.',
  {
    name: withExamples(
      string('main, other, or a word of your own.', { pattern: '^[a-z][a-z0-9_-]*$' }),
      'main',
      'other',
    ),
    key_id: withExamples(
      string('Begins with pk_ and its environment word.', { pattern: '^(pk_|\\$\\{env:)' }),
      'pk_test_1',
      '${env:PARTNER_KEY_ID}',
    ),
    secret: withExamples(string('Best as ${env:NAME}.', { minLength: 1 }), '${env:PARTNER_SECRET}'),
    scopes: withExamples(
      list(oneOf(SCOPES), {
        description: 'What it was granted; where absent the runner finds out with one read a scope.',
        uniqueItems: true,
      }),
      ['search', 'buy', 'webhook'],
    ),
    partner: withExamples(string('Credentials with the same word belong to the same partner.'), 'main'),
    environment: withExamples(
      string(
        'Its environment, where the key id does not say it; a key of another one than that of main is for CRED-02, and writes only in mode operator and if it is not live.',
        { minLength: 1 },
      ),
      'live',
    ),
    affiliate: withExamples(flag('Linked to an affiliate account.'), true),
    merchant_of_record: withExamples(flag('May collect payment itself.'), false),
  },
  { required: ['name', 'key_id', 'secret'] },
)

const BUDGET = partial('The most a run may do; it stops there.', {
  orders: withExamples(whole('Orders.'), 40),
  quotes: withExamples(whole('Quotes.'), 40),
  requests: withExamples(whole('Requests.'), 8000),
  per_second: withExamples(number({ description: 'Requests a second.', exclusiveMinimum: 0 }), 20, 0.5),
})

const FIXTURES = partial('What the target has that scenarios need; found through search where absent.', {
  sellable: withExamples(list(DOMAIN, { description: 'Listed domains that the run may buy, each once.' }), [
    'first.example',
    'second.example',
  ]),
  listed: withExamples(list(DOMAIN, { description: 'Listed domains that it only reads.' }), ['only-looked-at.example']),
  unlisted: withExamples(list(DOMAIN, { description: 'Names that are not listed.' }), ['never-listed.example']),
  live_site: withExamples(list(DOMAIN, { description: 'Domains that run an active live site.' }), ['in-use.example']),
  topic: withExamples(
    partial(
      'A word that finds domains by meaning.',
      {
        query: withExamples(string('The word.'), 'renewable energy'),
        finds: withExamples(list(DOMAIN, { description: 'What it finds.', minItems: 1 }), ['solar-roof.example']),
      },
      { required: ['query', 'finds'] },
    ),
    { query: 'renewable energy', finds: ['solar-roof.example'] },
  ),
  webhook_url: withExamples(
    string('Address that webhooks may be registered for.'),
    'https://hooks.example.test/conformance',
  ),
})

const RECEIVER = partial(
  'Where the run can be reached with webhooks. Not needed where the target is on this machine.',
  {
    listen: withExamples(
      string('host:port to listen on; port 0 picks a free one. 127.0.0.1:0 where absent.', {
        pattern: '^(.+:)?[0-9]{1,5}$',
      }),
      '127.0.0.1:0',
      '0.0.0.0:9000',
    ),
    public_url: withExamples(
      string('How the target reaches it; ${port} is the port that was bound.', HTTP_ADDRESS),
      'https://ci.example.test:${port}',
    ),
  },
)

const PLACE = { pattern: '^(/.*|header:.+)?$' }

const PLACE_ALONE: Schema<string> = { json: PLACE }

const ROLE_ADDRESS = byType('A JSON pointer into the answer ("" is the whole body), or header:Name.', {
  string: PLACE_ALONE,
  object: partial(
    'A place, and the unit of the money there.',
    {
      at: string('JSON pointer or header:Name.', PLACE),
      unit: oneOf(['cents', 'units'], 'Unit.'),
    },
    { required: ['at'] },
  ),
})

const OPERATIONS = ENDPOINT_IDS.join('|').replaceAll('.', '\\.')
const ROLES = ROLE_NAMES.join('|').replaceAll('.', '\\.')

const DIALECT = partial('How this target fills the gaps of the document. Every key is optional.', {
  price_unit: withExamples(oneOf(['cents', 'units'], 'Unit of expected_price.'), 'units'),
  params: withExamples(partial('Names of parameters.', PARAMS), { 'orders.cursor': 'page_token' }),
  bodies: withExamples(
    partial(
      'Request bodies, with ${domain}, ${price}, ${currency}, ${public_id}, ${ref}, ${url}, ${secret} filled in.',
      BODIES,
    ),
    { quote: { name: '${domain}' } },
  ),
  roles: withExamples(
    record('Places of values in answers: role, or operation:role.', {
      values: ROLE_ADDRESS,
      propertyNames: { pattern: `^((${OPERATIONS}):)?(${ROLES})$` },
    }),
    { 'listing.price': { at: '/data/price', unit: 'units' }, 'orders.list:orders.next': 'header:Link' },
  ),
  statuses: withExamples(
    partial('Names of order states that the document leaves open.', {
      held: withExamples(string('Held for manual review.'), 'ON_HOLD'),
      refunded: withExamples(string('Refunded.'), 'REFUNDED'),
      cancelled: withExamples(string('Cancelled.'), 'VOIDED'),
    }),
    { held: 'ON_HOLD' },
  ),
  payment_models: withExamples(
    partial('What this target calls the sales models, in the filter payment_model and in its rows.', {
      partner_collected: withExamples(string('The partner has collected the payment.'), 'external'),
      hosted_checkout: withExamples(string('Paid on the hosted page.'), 'hosted'),
      brokerage: withExamples(string('A deal of a brokerage case.'), 'broker'),
    }),
    { brokerage: 'broker' },
  ),
})

const PATIENCE = partial(
  'How long the run waits for what the target does in its own time: longer for a target that is late.',
  {
    events: withExamples(string('Until an event is in the history.', DURATION), '30s'),
    deliveries: withExamples(
      string('Until a webhook is delivered, counted from the delivery before it.', DURATION),
      '2m',
    ),
    reports: withExamples(string('Until lists, reports and statements show what has happened.', DURATION), '5m'),
    refunds: withExamples(string('Until a refund, or what an operator did to an order, takes effect.', DURATION), '1m'),
  },
)

const TARGET = partial(
  'A service to be judged. Any string may hold ${env:NAME}, so that no secret is in the file.',
  {
    url: withExamples(
      string('Base address, without the API root.', HTTP_ADDRESS),
      'https://staging.example.test',
      'http://127.0.0.1:4600',
    ),
    mode: withExamples(
      oneOf(['read', 'write', 'operator'], 'What the run may do; read where absent. A live key forces read.'),
      'read',
      'operator',
    ),
    budget: withExamples(BUDGET, { orders: 40, quotes: 40, requests: 8000, per_second: 20 }),
    credentials: withExamples(
      list(CREDENTIAL, {
        description: 'The first one called main judges; the others are counterparts.',
        minItems: 1,
      }),
      [{ name: 'main', key_id: 'pk_test_1', secret: '${env:PARTNER_SECRET}' }],
    ),
    fixtures: withExamples(FIXTURES, { sellable: ['first.example', 'second.example'] }),
    operator: withExamples(OPERATOR, { url: 'http://127.0.0.1:4601' }),
    receiver: withExamples(RECEIVER, { listen: '0.0.0.0:9000', public_url: 'https://ci.example.test:${port}' }),
    dialect: withExamples(DIALECT, { price_unit: 'units', statuses: { held: 'ON_HOLD' } }),
    pins: withExamples(record('Observed answers to open points; another answer is drift.'), {
      'AUTH-17/replay_detected': 409,
    }),
    patience: withExamples(PATIENCE, { events: '30s', deliveries: '2m', reports: '5m', refunds: '1m' }),
    timeout: withExamples(string('How long one call may take; 10s where absent.', DURATION), '15s', '1m30s'),
  },
  { required: ['url', 'credentials'] },
)

/** As the file has it, once the schema has been over it. */
export type RawTarget = TypeOf<typeof TARGET>

/** Where an answer has something, as a target file says it. */
export type RoleAddress = TypeOf<typeof ROLE_ADDRESS>

/** The schema of target files, draft-07; scenarios/target.schema.json is this value written down for editors. */
export const TARGET_SCHEMA: Schema<RawTarget> = {
  json: { $schema: 'http://json-schema.org/draft-07/schema#', title: 'Conformance target', ...TARGET.json },
}
