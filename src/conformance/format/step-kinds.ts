import { ENDPOINT_IDS } from '../../contract/endpoint-ids.ts'
import { ENDPOINTS, type Endpoint } from '../../contract/endpoints.ts'
import { EVENT_TYPES } from '../../contract/event-types.ts'
import {
  anything,
  byType,
  flag,
  list,
  oneKey,
  oneOf,
  partial,
  reference,
  type Schema,
  string,
  type TypeOf,
  whole,
  withExamples,
} from '../../contract/schema.ts'
import { SCOPES } from '../../contract/scopes.ts'
import type { DocumentPath } from '../yaml/read-yaml.ts'
import { OPERATOR_ACTIONS, type OperatorAction } from './operator-actions.ts'
import { among, DURATION, inline, STEP_ID, some, type Template, templates } from './values.ts'

export const CREDENTIAL = byType('Whose credential calls; main where absent.', {
  string: among(['main', 'other_partner', 'other_environment', 'no_affiliate', 'not_merchant']),
  object: oneKey('A credential of the main partner by its scopes.', {
    only: oneOf([...SCOPES, 'none'], 'Holds this scope and no other; `none` holds none at all.'),
    without: byType('Holds none of these scopes.', { string: among(SCOPES), array: some(oneOf(SCOPES)) }),
  }),
})

export const BODY = partial(
  'The body. With none of like, bytes_of, raw and json it starts from the template of the operation.',
  {
    like: withExamples(string('Start from the JSON body that this step sent.', STEP_ID), 'first'),
    bytes_of: withExamples(string('The very bytes that this step sent.', STEP_ID), 'first'),
    set: withExamples(
      templates(
        'Fields with other values; a dot leads into an object (`buyer.email`). A name that ends in ? is left out where the target has no such field. Money is in cents.',
      ),
      { domain: '${sellable[1].domain}', 'buyer.email': 'a@b.example' },
    ),
    sparse: withExamples(flag('Of an order: without all that the target lets a partner leave out.'), true),
    unset: withExamples(list(string(), { description: 'Fields to leave out.' }), ['return_url']),
    raw: withExamples(string('This text, as it stands.'), '{"domain":'),
    json: withExamples(anything<Template>('This value, as JSON.'), { any: ['thing'] }),
    format: withExamples(oneOf(['compact', 'pretty', 'reordered', 'escaped'], 'How the JSON is written.'), 'reordered'),
    size: withExamples(whole('White space is added until it has so many bytes.', { minimum: 1 }), 5_000),
  },
)

const PAIR: Schema<[Template, Template]> = { json: { type: 'array', minItems: 2, maxItems: 2 } }

const PAIRS: Schema<[Template, Template][]> = { json: { items: PAIR.json } }

const AT_ONCE = partial(
  'How many calls, and what they have in common.',
  {
    calls: withExamples(whole('How many.', { minimum: 1, maximum: 64 }), 8),
    share: withExamples(
      list(oneOf(['request', 'nonce', 'idempotency_key', 'body']), {
        description: 'What all of them have in common; `request` makes them identical, signature included.',
      }),
      ['idempotency_key', 'body'],
      ['request'],
    ),
    with: withExamples(oneOf(['other_partner'], 'Every second call is made by this credential.'), 'other_partner'),
    overlap: withExamples(
      whole('Fewer than this in flight at once is inconclusive; 2 where absent, or 1 for one call.', { minimum: 1 }),
      4,
    ),
  },
  { required: ['calls'] },
)

export const CALL = partial('One call of the API, signed correctly unless the step has a fault.', {
  op: withExamples(oneOf(ENDPOINT_IDS, 'The operation.'), 'orders.create', 'availability'),
  method: withExamples(
    string('Another verb than that of the operation, or the verb of a raw call.', { pattern: '^[A-Z]{3,7}$' }),
    'DELETE',
  ),
  target: withExamples(string('Raw call: path and query as they stand.', { pattern: '^/' }), '/api/partner/v1/nowhere'),
  path: withExamples(templates('Values of the parameters in the path.'), { public_id: '${made.order.public_id}' }),
  query: withExamples(
    byType(
      'Parameters; a list of values repeats the name, null leaves it out; a name that ends in ? is left out where the target has no such parameter. A list of pairs keeps its order.',
      { object: anything<Record<string, Template>>(), array: PAIRS },
    ),
    { status: 'EXTERNALLY_PAID', 'limit?': 1 },
    [
      ['b', '2'],
      ['a', '1'],
    ],
  ),
  query_raw: withExamples(string('The query as it stands in the URL.'), 'q=a%20b&&x'),
  idempotency_key: withExamples(
    string('Where absent, a fresh one for operations that demand it and none for the others.'),
    '${vars.key}',
  ),
  body: withExamples(reference('body', BODY), { set: { expected_price: '${sellable.price + 100}' } }),
  content_type: withExamples(string('Another Content-Type than application/json.'), 'text/plain'),
  headers: withExamples(templates('Further headers.'), { 'Accept-Language': 'de' }),
  header_names: withExamples(
    oneOf(['lower_case'], 'How the names of all headers are written; as the document has them where absent.'),
    'lower_case',
  ),
  all_pages: withExamples(flag('A list: follows its cursor to the end and takes all of it for one answer.'), true),
  again: withExamples(string('Sends the request of that step again, byte for byte; stands alone.', STEP_ID), 'first'),
  after: withExamples(
    string('Repeats the call of that step after the Retry-After of its answer; stands alone.', STEP_ID),
    'limited',
  ),
  of_run: withExamples(
    flag('No call of its own: all calls that the run has made so far, for a judge of them; stands alone.'),
    true,
  ),
  at_once: withExamples(
    byType('Makes the call several times at once.', {
      integer: whole('How many.', { minimum: 1, maximum: 64 }),
      object: AT_ONCE,
    }),
    8,
    { calls: 8, share: ['idempotency_key', 'body'] },
  ),
  until: withExamples(
    string('Repeats the call until its step expects what it gets, at most this long.', DURATION),
    '5s',
  ),
  or_refused_before: withExamples(
    flag(
      'With `as: { only: SCOPE }`: nothing is sent where the run has seen this operation refuse a credential that holds SCOPE with others, none of which opens it.',
    ),
    true,
  ),
})

const PLACE: Schema<number> = { json: { type: 'integer' } }

const ALTER = partial(
  'Opens the page, or presses the button, once for each character, changed.',
  {
    query: string('The parameter whose value is changed.', { pattern: '^[A-Za-z0-9_-]+$' }),
    at: byType('Which characters: each, or places from 0, from the end where negative. each where absent.', {
      string: among(['each']),
      array: some(PLACE),
    }),
    how: oneOf(
      ['other', 'case', 'longer', 'shorter', 'gone'],
      'Another character of its kind (default), the same letter in the other case, one more behind it, or none; gone: the whole parameter is left out.',
    ),
  },
  { required: ['query'] },
)

const PAGE = partial('A page, opened as a browser does, without any header of ours, or a button of it.', {
  open: withExamples(string('Opens the page at this address.', { minLength: 1 }), '${session.checkout.url}'),
  press: withExamples(
    string('Presses a button of a page: pay, cancel, decline, or words that are on it.', { minLength: 1 }),
    'pay',
  ),
  of: withExamples(string('The step whose page has the button; the latest where absent.', STEP_ID), 'page'),
  fill: withExamples(templates('email, name, country, or fields by their own name.'), { email: 'jo@buyer.example' }),
  follow: withExamples(flag("Follows redirects within the page's origin; true where absent."), false),
  cookies: withExamples(
    oneOf(['keep', 'fresh'], 'keep (default): the one browser of the scenario. fresh: another one from here on.'),
    'fresh',
  ),
  alter: withExamples(ALTER, { query: 'pt', at: [0, 5, -1] }),
})

/** A type as a text: the history may hold others. */
const TYPES: readonly string[] = EVENT_TYPES

const HOOK_NAME = { pattern: '^[a-z][a-z0-9_]*$', not: { enum: ['url', 'secret', 'idle'] } }

const EVENTS = partial(
  'Events: those of the history since the scenario began, or deliveries at a hook. Waits for what is expected.',
  {
    type: withExamples(oneOf(TYPES, 'Only events of this type.'), 'order.recorded'),
    where: withExamples(templates('Only events with these values; keys are paths such as `data.order.domain`.'), {
      'data.order.domain': '${sellable.domain}',
    }),
    hook: withExamples(string('Deliveries at this hook of the receiver, rather than the history.', HOOK_NAME), 'main'),
    after: withExamples(string('Only what came after that step.', STEP_ID), 'made'),
    since: withExamples(
      oneOf(
        ['run_start'],
        'All since the run began: of the history, or with hook what has arrived at any hook of the run.',
      ),
      'run_start',
    ),
    within: withExamples(
      string('How long to wait for what is expected; 5s where absent, for deliveries across a network 30s.', DURATION),
      '10s',
    ),
    none_for: withExamples(
      string(
        'Waits so long for what must not come, and expects no such event; shorter, at least 1 s, where the run has seen how late they come.',
        DURATION,
      ),
      '2s',
    ),
  },
)

const LATE_ANSWER = partial(
  'An answer that is late.',
  {
    after: withExamples(string('So long after the delivery has come.', DURATION), '10m30s'),
    status: whole('Its status; 200.', { minimum: 200 }),
  },
  { required: ['after'] },
)

const REDIRECT = partial('A redirect (307).', { redirect: string('Where it leads.') }, { required: ['redirect'] })

const STATUS: Schema<number> = { json: { minimum: 200, maximum: 599 } }

const OTHER_ANSWER: Schema<TypeOf<typeof LATE_ANSWER | typeof REDIRECT>> = {
  json: { oneOf: [LATE_ANSWER.json, REDIRECT.json] },
}

const HOOK = partial(
  'How the receiver answers deliveries at a hook, from here on.',
  {
    name: withExamples(string('Which hook; main where absent.', HOOK_NAME), 'second'),
    answer: withExamples(
      byType('What they get.', { integer: STATUS, string: among(['hang_up']), object: OTHER_ANSWER }),
      500,
      'hang_up',
      { after: '6s', status: 200 },
      { redirect: 'https://elsewhere.example/' },
    ),
    times: withExamples(whole('So many deliveries; all where absent.', { minimum: 1 }), 1),
    type: withExamples(oneOf(TYPES, 'Only deliveries of events of this type.'), 'order.recorded'),
    where: withExamples(templates('Only deliveries with these values; keys are paths such as `data.order.domain`.'), {
      'data.order.domain': '${sellable.domain}',
    }),
  },
  { required: ['answer'] },
)

/** What a step produces, for expectations to be about. */
type Produced = 'answer' | 'answers' | 'run' | 'events' | 'deliveries' | 'page'

/** One kind of step: how it is written, and what is said of it. `steps/step-kinds.ts` carries it out. */
interface StepKind<Given> {
  readonly schema: Schema<Given>
  /** What editors offer, and the reference shows. */
  readonly examples: readonly Given[]
  /** Null if nothing can be expected of it. */
  readonly produces: (given: Given) => Produced | null
  /** Earlier steps that it names, and where. */
  readonly names: (given: Given) => readonly (readonly [path: DocumentPath, step: string | undefined])[]
  /** What it does, in words that follow the name of the step. */
  readonly words: (given: Given) => string
}

/** An argument of each type, as editors offer it and the reference shows it. */
const ARGUMENT_EXAMPLES: Readonly<Record<(typeof OPERATOR_ACTIONS)[OperatorAction]['argument'], Template>> = {
  duration: '10m30s',
  limit: { requests: 1, per_seconds: 1 },
  count: 1,
  order: '${made.order.public_id}',
  run: 'all',
  price: { domain: '${sellable.domain}', price: 70_000 },
  deal: { case_id: '${opened.case.id}', price: 420_000 },
  case: '${opened.case.id}',
  session: '${session.checkout.id}',
}

const OPERATOR: Schema<Partial<Record<OperatorAction, Template>>> = oneKey(
  'One action of the operator of the target.',
  Object.fromEntries(
    Object.entries(OPERATOR_ACTIONS).map(([name, { about, argument }]) => [
      name,
      withExamples(anything<Template>(about), ARGUMENT_EXAMPLES[argument]),
    ]),
  ),
)

/** The five kinds of steps; a step has the key of exactly one. */
export const STEP_KINDS = {
  call: {
    schema: CALL,
    examples: [{ op: 'availability', query: { domain: '${listed.domain}' } }, { again: 'first' }],
    produces: ({ at_once: atOnce, of_run: ofRun }) => (ofRun ? 'run' : atOnce === undefined ? 'answer' : 'answers'),
    names: ({ again, after, body }) => [
      [['again'], again],
      [['after'], after],
      [['body', 'like'], body?.like],
      [['body', 'bytes_of'], body?.bytes_of],
    ],
    words: callInWords,
  } satisfies StepKind<TypeOf<typeof CALL>>,
  operator: {
    schema: OPERATOR,
    examples: [{ advance_clock: '10m30s' }, { start_transfer: '${made.order.public_id}' }],
    produces: () => null,
    names: () => [],
    words(given) {
      const [name, argument] = Object.entries(given)[0] as [OperatorAction, Template]
      return `operator: ${OPERATOR_ACTIONS[name].about.split(':')[0]} (${name}: ${inline(argument)})`
    },
  } satisfies StepKind<Partial<Record<OperatorAction, Template>>>,
  events: {
    schema: EVENTS,
    examples: [{ type: 'order.recorded', where: { 'data.order.domain': '${sellable.domain}' } }],
    produces: ({ hook }) => (hook === undefined ? 'events' : 'deliveries'),
    names: ({ after }) => [[['after'], after]],
    words({ type, where, hook, after, since, none_for: noneFor }) {
      const atHook = since === undefined ? `deliveries at the hook ${hook}` : 'all deliveries of the run'
      const place = hook === undefined ? 'the event history' : atHook
      const wanted = [
        type && ` for ${type}`,
        where && ` where ${inline(where)}`,
        after && ` after ${after}`,
        noneFor && `, which must have none for ${noneFor}`,
      ]
      return `reads ${place}${wanted.filter(Boolean).join('')}`
    },
  } satisfies StepKind<TypeOf<typeof EVENTS>>,
  hook: {
    schema: HOOK,
    examples: [{ answer: 500, times: 1 }],
    produces: () => null,
    names: () => [],
    words: ({ answer }) => `has the receiver answer ${inline(answer)} from here on`,
  } satisfies StepKind<TypeOf<typeof HOOK>>,
  page: {
    schema: PAGE,
    examples: [{ open: '${session.checkout.url}' }, { press: 'pay' }],
    produces: () => 'page',
    names: ({ of }) => [[['of'], of]],
    words: ({ open, press, alter }) =>
      `${press === undefined ? `opens the page ${open}` : `presses the button "${press}" of a page`}${alter ? `, altered: ${inline(alter)}` : ''}`,
  } satisfies StepKind<TypeOf<typeof PAGE>>,
}

export const STEP_KIND_NAMES = Object.keys(STEP_KINDS) as (keyof typeof STEP_KINDS)[]

function callInWords(call: TypeOf<typeof CALL>): string {
  const { op, method, target, query, body, again, after, at_once: atOnce, of_run: ofRun, until } = call
  if (ofRun) return 'looks at all calls that the run has made so far'
  if (again !== undefined) return `sends the request of ${again} again, byte for byte`
  if (after !== undefined) return `repeats the call of ${after} after its Retry-After`
  const route: Endpoint | undefined = op && ENDPOINTS[op]
  const extras = [query && `query ${inline(query)}`, body && `body ${inline(body)}`].filter(Boolean)
  const made = route
    ? `${op} (${method ?? route.method} ${route.path})${extras.length > 0 ? ` with ${extras.join(' and ')}` : ''}`
    : `${method} ${target}`
  if (until !== undefined) return `repeats ${made} until what is expected comes, ${until} at most`
  if (atOnce === undefined) return `calls ${made}`
  const { calls, share = [] } = typeof atOnce === 'number' ? { calls: atOnce } : atOnce
  return `makes ${calls} calls at once (${made})${share.length > 0 ? `, which share ${share.join(' and ')}` : ''}`
}
