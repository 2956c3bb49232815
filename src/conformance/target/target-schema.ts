import { ENDPOINT_IDS } from '../../contract/endpoints.ts'
import { SCOPES } from '../../contract/scopes.ts'
import { OPERATOR_ACTIONS } from '../format/operator-actions.ts'
import { ROLE_NAMES } from '../format/roles.ts'
import { anything, byType, list, object, oneOf, type Schema, text, whole, yesOrNo } from '../format/schema-parts.ts'
import { withExamples } from './target-examples.ts'

/** Names of parameters that the document leaves open, with the name that is tried first. */
export const OPEN_PARAMS = {
  'orders.domain': 'domain',
  'orders.from': 'from',
  'orders.to': 'to',
  'orders.cursor': 'cursor',
  'orders.limit': 'limit',
  'reports.from': 'from',
  'reports.to': 'to',
  'reports.cursor': 'cursor',
  'reports.limit': 'limit',
} as const satisfies Record<string, string>

export type OpenParam = keyof typeof OPEN_PARAMS

/** Request bodies that the document leaves open, or that a target may be choosy about. */
export const BODY_NAMES = [
  'order',
  'quote',
  'checkout',
  'refund',
  'brokerage',
  'link',
  'link_domain',
  'link_product',
  'webhook',
] as const

export type BodyName = (typeof BODY_NAMES)[number]

/** The schema of target files, draft-07; scenarios/target.schema.json is this value written down for editors. */
export function targetSchema(): Schema {
  return withExamples({
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Conformance target',
    ...object(
      'A service to be judged. Any string may hold ${env:NAME}, so that no secret stands in the file.',
      TARGET_KEYS,
      ['url', 'credentials'],
    ),
  })
}

const WAIT = { pattern: '^([0-9]+[dhms])+$' }

const DOMAINS = { type: 'string', pattern: '^[^\\s/]+\\.[^\\s/]+$' }

const CREDENTIAL = object(
  'One credential.',
  {
    name: text('main, other, or a word of your own.', { pattern: '^[a-z][a-z0-9_-]*$' }),
    key_id: text('Begins with pk_ and its environment word.', { pattern: '^(pk_|\\$\\{env:)' }),
    secret: text('Best as ${env:NAME}.', { minLength: 1 }),
    scopes: list(
      'What it was granted; where absent the runner finds out with one read a scope.',
      { type: 'string', enum: SCOPES },
      { uniqueItems: true },
    ),
    partner: text('Credentials with the same word belong to the same partner.'),
    environment: text(
      'Its environment, where the key id does not say it; a key of another one than that of main only reads, for CRED-02.',
      { minLength: 1 },
    ),
    affiliate: yesOrNo('Linked to an affiliate account.'),
    merchant_of_record: yesOrNo('May collect payment itself.'),
  },
  ['name', 'key_id', 'secret'],
)

const OPERATOR_REQUEST = object(
  'One HTTP request.',
  {
    request: text('Verb and address: POST https://...', { pattern: '^(GET|POST|PUT|PATCH|DELETE) https?://' }),
    headers: { description: 'Headers.', type: 'object', additionalProperties: { type: 'string' } },
    json: anything('Body.'),
  },
  ['request'],
)

const ROLE_ADDRESS = byType('A JSON pointer into the answer ("" is the whole body), or header:Name.', {
  string: { pattern: '^(/.*|header:.+)?$' },
  object: object(
    'A place, and the unit of the money there.',
    {
      at: text('JSON pointer or header:Name.', { pattern: '^(/.*|header:.+)?$' }),
      unit: oneOf('Unit.', ['cents', 'units']),
    },
    ['at'],
  ),
})

const DIALECT = object('How this target fills the gaps of the document. Every key is optional.', {
  price_unit: oneOf('Unit of expected_price.', ['cents', 'units']),
  params: {
    ...object(
      'Names of parameters.',
      Object.fromEntries(
        Object.keys(OPEN_PARAMS).map((name) => [name, text('The name this target uses.', { minLength: 1 })]),
      ),
    ),
  },
  bodies: object(
    'Request bodies, with ${domain}, ${price}, ${currency}, ${public_id}, ${ref}, ${url}, ${secret} filled in.',
    Object.fromEntries(
      BODY_NAMES.map((name) => [name, { description: `Body of ${name.replace('_', ' to a ')}.`, type: 'object' }]),
    ),
  ),
  roles: {
    description: 'Places of values in answers: role, or operation:role.',
    type: 'object',
    propertyNames: {
      pattern: `^((${ENDPOINT_IDS.join('|').replaceAll('.', '\\.')}):)?(${ROLE_NAMES.join('|').replaceAll('.', '\\.')})$`,
    },
    additionalProperties: ROLE_ADDRESS,
  },
  statuses: object('Names of order states that the document leaves open.', {
    held: text('Held for manual review.'),
    refunded: text('Refunded.'),
    cancelled: text('Cancelled.'),
  }),
  payment_models: object('What this target calls the sales models, in the filter payment_model and in its rows.', {
    partner_collected: text('The partner has collected the payment.'),
    hosted_checkout: text('Paid on the hosted page.'),
    brokerage: text('A deal of a brokerage case.'),
  }),
})

const TARGET_KEYS: Record<string, Schema> = {
  url: text('Base address, without the API root.', { pattern: '^(https?://|\\$\\{env:)' }),
  mode: oneOf('What the run may do; read where absent. A live key forces read.', ['read', 'write', 'operator']),
  budget: object('The most a run may do; it stops there.', {
    orders: whole('Orders.'),
    quotes: whole('Quotes.'),
    requests: whole('Requests.'),
    per_second: { description: 'Requests a second.', type: 'number', exclusiveMinimum: 0 },
  }),
  credentials: list('The first one called main judges; the others are counterparts.', CREDENTIAL, { minItems: 1 }),
  fixtures: object('What the target has that scenarios need; found through search where absent.', {
    sellable: list('Listed domains that the run may buy, each once.', DOMAINS),
    listed: list('Listed domains that it only reads.', DOMAINS),
    unlisted: list('Names that are not listed.', DOMAINS),
    live_site: list('Domains that run an active live site.', DOMAINS),
    topic: object(
      'A word that finds domains by meaning.',
      { query: text('The word.'), finds: list('What it finds.', DOMAINS, { minItems: 1 }) },
      ['query', 'finds'],
    ),
    webhook_url: text('Address that webhooks may be registered for.'),
  }),
  operator: object('How to move what the staff of the service would move.', {
    url: text('Operator address of a running sandbox.', { pattern: '^(https?://|\\$\\{env:)' }),
    token: text('Its bearer token.'),
    world: text('Its world; default where absent.'),
    actions: object(
      'One request an action, for any other target. ${...} is filled in with its arguments.',
      Object.fromEntries(
        Object.entries(OPERATOR_ACTIONS).map(([name, row]) => [
          name,
          {
            ...OPERATOR_REQUEST,
            description: `${row.about}; fills in ${row.fills.map((fill) => `\${${fill}}`).join(', ')}`,
          },
        ]),
      ),
    ),
  }),
  receiver: object('Where the run can be reached with webhooks. Not needed where the target is on this machine.', {
    listen: text('host:port to listen on; port 0 picks a free one. 127.0.0.1:0 where absent.', {
      pattern: '^(.+:)?[0-9]{1,5}$',
    }),
    public_url: text('How the target reaches it; ${port} is the port that was bound.', {
      pattern: '^(https?://|\\$\\{env:)',
    }),
  }),
  dialect: DIALECT,
  pins: { description: 'Observed answers to open points; another answer is drift.', type: 'object' },
  patience: object(
    'How long the run waits for what the target does in its own time: longer for a target that is late.',
    {
      events: text('Until an event is in the history.', WAIT),
      deliveries: text('Until a webhook is delivered, counted from the delivery before it.', WAIT),
      reports: text('Until lists, reports and statements show what has happened.', WAIT),
      refunds: text('Until a refund, or what an operator did to an order, takes effect.', WAIT),
    },
  ),
  timeout: text('How long one call may take; 10s where absent.', { pattern: '^([0-9]+[dhms])+$' }),
}
