import { ENDPOINT_IDS } from '../../contract/endpoints.ts'
import { ERROR_CODES } from '../../contract/errors.ts'
import { SCOPES } from '../../contract/scopes.ts'
import { OPERATOR_ACTIONS } from './operator-actions.ts'
import { EVENTS, HOOK, QUIET, RECEIVE } from './schema-events.ts'
import { faultSchema } from './schema-faults.ts'
import { OPEN, RUNNING, SUBMIT } from './schema-pages.ts'
import {
  anything,
  byType,
  list,
  namedValues,
  OF_THE_TEXT,
  object,
  oneOf,
  ref,
  type Schema,
  text,
  whole,
  yesOrNo,
} from './schema-parts.ts'

/**
 * The schema of scenario files, draft-07. scenarios/scenario.schema.json is this value written down for editors; a
 * test keeps the two alike.
 */
export function scenarioSchema(): Schema {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Conformance scenario',
    ...object('One scenario of the conformance runner; see docs/scenarios.md.', SCENARIO_KEYS, [
      'title',
      'proves',
      'steps',
    ]),
    definitions: DEFINITIONS,
  }
}

const STEP_ID = { type: 'string', pattern: '^[a-z][a-z0-9_]*$' }
const REQUIREMENT_ID = { type: 'string', pattern: '^[A-Z]{2,5}-[0-9]{2}[a-z]?$' }
const DURATION = { type: 'string', pattern: '^([0-9]+[dhms])+$' }

const SCENARIO_KEYS: Record<string, Schema> = {
  title: text('A fact about a sound target, as a sentence.', { minLength: 10, maxLength: 140 }),
  why: text('Why the scenario is built as it is, where that is not plain.'),
  proves: list('The must requirements that its steps show; empty for scenarios that only observe.', REQUIREMENT_ID, {
    uniqueItems: true,
  }),
  needs: list('What the target has to have; what calls need (scopes, credentials, writing) is worked out without it.', {
    type: 'string',
    pattern:
      '^(scope\\.[a-z]+|fixture\\.[a-z_]+(\\([1-9][0-9]?\\))?|partner\\.other|affiliate|merchant|operator\\.[a-z_]+)$',
  }),
  tags: list('Words to select scenarios by.', { type: 'string', pattern: '^[a-z][a-z0-9-]*$' }),
  effects: ref('effects'),
  vars: namedValues('Values made once, before the first step: `${vars.name}`.'),
  steps: list('What is done, in order.', ref('step'), { minItems: 1 }),
  cleanup: list('Done at the end whatever happened before; judges nothing.', ref('step')),
}

const EFFECTS = object('What is left behind on the target, at most.', {
  orders: whole('Orders recorded.'),
  quotes: whole('Quotes made.'),
  checkout_sessions: whole('Checkout sessions made.'),
  cases: whole('Brokerage cases opened.'),
  links: whole('Tracking links made.'),
  refunds: whole('Refunds asked for.'),
  webhooks: whole('Webhook registrations replaced.'),
  clock: yesOrNo('Moves the time of the target: runs alone.'),
  settlement: yesOrNo('Closes a settlement period: runs alone.'),
  exclusive: yesOrNo('Runs alone for another reason.'),
})

const CREDENTIAL = byType('Whose credential calls; main where absent.', {
  string: { enum: ['main', 'other_partner', 'other_environment', 'no_affiliate', 'not_merchant'] },
  object: {
    ...object('A credential of the main partner by its scopes.', {
      only: oneOf('Holds this scope and no other; `none` holds none at all.', [...SCOPES, 'none']),
      without: byType('Holds none of these scopes.', {
        string: { enum: SCOPES },
        array: { items: { type: 'string', enum: SCOPES }, minItems: 1 },
      }),
    }),
    minProperties: 1,
    maxProperties: 1,
  },
})

const BODY = object(
  'The body. With none of like, bytes_of, raw and json it starts from the template of the operation.',
  {
    like: text('Start from the JSON body that this step sent.', STEP_ID),
    bytes_of: text('The very bytes that this step sent.', STEP_ID),
    set: namedValues('Fields with other values; a dot leads into an object (`buyer.email`). Money is in cents.'),
    unset: list('Fields to leave out.', { type: 'string' }),
    raw: text('This text, as it stands.'),
    json: anything('This value, as JSON.'),
    format: oneOf('How the JSON is written.', ['compact', 'pretty', 'reordered', 'escaped']),
  },
)

const CALL = object('One call of the API, signed soundly unless the step has a fault.', {
  op: oneOf('The operation.', ENDPOINT_IDS),
  method: text('Another verb than that of the operation, or the verb of a raw call.', { pattern: '^[A-Z]{3,7}$' }),
  target: text('Raw call: path and query as they stand.', { pattern: '^/' }),
  path: namedValues('Values of the parameters in the path.'),
  query: byType(
    'Parameters; a list of values repeats the name, null leaves it out; a name that ends in ? is left out where the target has no such parameter. A list of pairs keeps its order.',
    {
      object: {},
      array: { items: { type: 'array', minItems: 2, maxItems: 2 } },
    },
  ),
  query_raw: text('The query as it stands in the URL.'),
  idempotency_key: text('Where absent, a fresh one for operations that demand it and none for the others.'),
  body: ref('body'),
  content_type: text('Another Content-Type than application/json.'),
  headers: namedValues('Further headers.'),
  all_pages: yesOrNo('A list: follows its cursor to the end and takes all of it for one answer.'),
})

const BURST = object(
  'Several calls at once.',
  {
    lanes: { description: 'How many.', type: 'integer', minimum: 1, maximum: 64 },
    share: list('What all of them have in common; `request` makes them identical, signature included.', {
      type: 'string',
      enum: ['request', 'nonce', 'idempotency_key', 'body'],
    }),
    overlap: whole('Fewer than this in flight at once is inconclusive; 2 where absent.', 1),
    call: ref('call'),
  },
  ['lanes', 'call'],
)

const UNTIL = object(
  'Repeats a call until its step expects what it gets.',
  {
    call: ref('call'),
    within: text('At most this long; 10s where absent.', DURATION),
    every: text('Pause between two calls.', DURATION),
  },
  ['call'],
)

const MATCHERS = namedValues(
  'Roles or names with what each must be: a value, or conditions (equals, not, matches, type, at_least, at_most, one_of, contains, present, length).',
)

const EXPECTATION = object(
  'What is asked for. With `shows` it is a check; without, a premise: if it is false the rest proves nothing.',
  {
    accepted: { description: 'Any 2xx.', const: true },
    authenticated: {
      description: 'Not refused for its signature: accepted, or refused for what it asks for.',
      const: true,
    },
    key_pair: {
      description: 'Key id and secret of whoever calls carry the same environment word; nothing is sent for it.',
      const: true,
    },
    refused: byType('Any 4xx; with codes, that code and the status the document gives it.', {
      string: { enum: ERROR_CODES },
      array: { items: { type: 'string', enum: ERROR_CODES }, minItems: 1 },
      boolean: { const: true },
    }),
    tolerate: list('Codes that another sentence of the document allows.', { type: 'string', enum: ERROR_CODES }),
    status: byType('The status; in a list, 0 is a connection that was closed without an answer.', {
      integer: {},
      array: { items: { type: 'integer' }, minItems: 1 },
    }),
    roles: MATCHERS,
    headers: MATCHERS,
    same_as: byType('The answer is the one an earlier step got.', {
      string: STEP_ID,
      object: object(
        'Which step, and how alike.',
        {
          step: STEP_ID,
          by: oneOf('json (default) leaves request ids out, body the status.', ['bytes', 'body', 'json', 'status']),
          roles: list('Compare these roles only.', { type: 'string' }),
          where: namedValues('Of a list among the roles only the items for which this holds.'),
          unlike: yesOrNo('Must differ instead.'),
        },
        ['step'],
      ),
    }),
    equal: list('All of these are the same value.', {}, { minItems: 2 }),
    differ: list('No two of these are the same value.', {}, { minItems: 2 }),
    items: text(
      'A list role: count, includes, excludes, every, sorted, sums, distinct and at_most speak about its items.',
    ),
    distinct: text('Count different values of this role (or path in an event) rather than things.'),
    among: oneOf('Which answers of a burst; accepted where absent.', ['accepted', 'refused', 'server_error', 'all']),
    count: anything('How many items, events, answers, or distinct values: a number or conditions.'),
    at_most: whole('Short for count: { at_most: n }.'),
    includes: MATCHERS,
    excludes: MATCHERS,
    every: MATCHERS,
    sorted: object(
      'The items are in order.',
      {
        by: text('Role or path of an item.'),
        order: oneOf('ascending where absent.', ['ascending', 'descending', 'either']),
      },
      ['by'],
    ),
    sums: object('A role of the items adds up.', { of: text('Role of an item.'), to: anything('The sum.') }, [
      'of',
      'to',
    ]),
    running: RUNNING,
    ...OF_THE_TEXT,
    open: text(
      'A premise that is a choice of the target: where it does not hold, the rest is not run and not counted.',
    ),
    says: text('The expectation in one line, where the made one reads badly.'),
    shows: byType('Requirements this shows.', {
      string: REQUIREMENT_ID,
      array: { items: REQUIREMENT_ID, minItems: 1 },
    }),
  },
)

const OBSERVE_ITEM = object(
  'An open point and what is recorded of it.',
  {
    gap: text('A requirement of level open.'),
    take: text('outcome (default), status, code, count, or a role.'),
    as: text('Tells several observations of one gap apart.', { pattern: '^[a-z][a-z0-9_.-]*$' }),
  },
  ['gap'],
)

const STEP = object('One action, and what is expected of it.', {
  id: text('Name for other steps to refer to; needed where something is expected.', STEP_ID),
  as: ref('credential'),
  call: ref('call'),
  resend: text('Sends the request of that step again, byte for byte.', STEP_ID),
  retry: text('Makes the call of that step anew once the Retry-After of its answer has passed.', STEP_ID),
  burst: ref('burst'),
  operator: {
    description: 'One action of the operator of the target.',
    type: 'object',
    minProperties: 1,
    maxProperties: 1,
    additionalProperties: false,
    properties: Object.fromEntries(Object.entries(OPERATOR_ACTIONS).map(([name, row]) => [name, anything(row.about)])),
  },
  else: list(
    'Where the operator action is not to be had: tried in order, `not_run` in the end. `go_on` does without it, and without it where it is refused, too.',
    byType('One way out.', {
      string: { enum: ['not_run', 'go_on'] },
      object: {
        ...object('One way out.', { wait: text('Real time.', DURATION), ask: text('Asks the person who runs this.') }),
        minProperties: 1,
        maxProperties: 1,
      },
    }),
    { minItems: 1 },
  ),
  mark: oneOf('Remembers where the event history ends.', ['events']),
  events: ref('events'),
  quiet: ref('quiet'),
  until: ref('until'),
  hook: ref('hook'),
  receive: ref('receive'),
  open: ref('open'),
  submit: ref('submit'),
  fault: ref('fault'),
  twin_shows: { ...REQUIREMENT_ID, description: 'Requirement that the acceptance of the twin shows.' },
  expect: byType('What is expected; plain acceptance where absent.', {
    string: { enum: ['accepted'] },
    object: ref('expectation'),
    array: { items: ref('expectation'), minItems: 1 },
  }),
  observe: byType('Open points: recorded, never failed.', {
    string: {},
    object: ref('observation'),
    array: { items: byType('One open point.', { string: {}, object: ref('observation') }), minItems: 1 },
  }),
})

const DEFINITIONS: Record<string, Schema> = {
  ...{ effects: EFFECTS, credential: CREDENTIAL, body: BODY, call: CALL },
  burst: BURST,
  events: EVENTS,
  quiet: QUIET,
  until: UNTIL,
  hook: HOOK,
  receive: RECEIVE,
  open: OPEN,
  submit: SUBMIT,
  expectation: EXPECTATION,
  observation: OBSERVE_ITEM,
  fault: faultSchema(),
  step: STEP,
}
