import { ENDPOINT_IDS } from '../../contract/endpoints.ts'
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
  whole,
  withExamples,
} from '../../contract/schema.ts'
import { SCOPES } from '../../contract/scopes.ts'
import { among, duration, some, stepId, type Template, templates } from './values.ts'

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
    like: withExamples(stepId('Start from the JSON body that this step sent.'), 'first'),
    bytes_of: withExamples(stepId('The very bytes that this step sent.'), 'first'),
    set: withExamples(
      templates('Fields with other values; a dot leads into an object (`buyer.email`). Money is in cents.'),
      { domain: '${sellable[1].domain}', 'buyer.email': 'a@b.example' },
    ),
    unset: withExamples(list(string(), { description: 'Fields to leave out.' }), ['return_url']),
    raw: withExamples(string('This text, as it stands.'), '{"domain":'),
    json: withExamples(anything<Template>('This value, as JSON.'), { any: ['thing'] }),
    format: withExamples(oneOf(['compact', 'pretty', 'reordered', 'escaped'], 'How the JSON is written.'), 'reordered'),
    size: withExamples(whole('White space is added until it has so many bytes.', { minimum: 1 }), 5_000),
  },
)

const PAIR: Schema<[Template, Template]> = { json: { type: 'array', minItems: 2, maxItems: 2 } }

const PAIRS: Schema<[Template, Template][]> = { json: { items: PAIR.json } }

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
  all_pages: withExamples(flag('A list: follows its cursor to the end and takes all of it for one answer.'), true),
})

export const BURST = partial(
  'Several calls at once.',
  {
    lanes: withExamples(whole('How many.', { minimum: 1, maximum: 64 }), 8),
    share: withExamples(
      list(oneOf(['request', 'nonce', 'idempotency_key', 'body']), {
        description: 'What all of them have in common; `request` makes them identical, signature included.',
      }),
      ['idempotency_key', 'body'],
      ['request'],
    ),
    overlap: withExamples(
      whole('Fewer than this in flight at once is inconclusive; 2 where absent.', { minimum: 1 }),
      2,
    ),
    call: withExamples(reference('call', CALL), { op: 'orders.create' }),
  },
  { required: ['lanes', 'call'] },
)

export const UNTIL = partial(
  'Repeats a call until its step expects what it gets.',
  {
    call: withExamples(reference('call', CALL), {
      op: 'orders.detail',
      path: { public_id: '${made.order.public_id}' },
    }),
    within: withExamples(duration('At most this long; 10s where absent.'), '30s'),
    every: withExamples(duration('Pause between two calls.'), '1s'),
  },
  { required: ['call'] },
)

const PLACE: Schema<number> = { json: { type: 'integer' } }

const ALTER = partial(
  'Asks for the page once for each character, changed.',
  {
    query: string('The parameter whose value is changed.', { pattern: '^[A-Za-z0-9_-]+$' }),
    at: byType('Which characters: each, or places from 0, from the end where negative. each where absent.', {
      string: among(['each']),
      array: some(PLACE),
    }),
    how: oneOf(['other', 'case'], 'Another character of its kind (default), or the same letter in the other case.'),
  },
  { required: ['query'] },
)

export const PAGE = partial(
  'A page.',
  {
    url: string('Address of the page.'),
    follow: flag("Follows redirects within the page's origin; true where absent."),
    cookies: oneOf(
      ['keep', 'fresh'],
      'keep (default): the one browser of the scenario. fresh: another one from here on.',
    ),
    alter: ALTER,
  },
  { required: ['url'] },
)

export const OPEN = byType('Opens a page as a browser does, without any header of ours.', {
  string: anything<string>(),
  object: PAGE,
})

export const SUBMIT = partial(
  'Presses a button of a page that was opened.',
  {
    button: withExamples(string('pay, cancel, decline, or words that are on it.', { minLength: 1 }), 'pay'),
    page: withExamples(stepId('The step whose page it is; the latest where absent.'), 'page'),
    fill: withExamples(templates('email, name, country, or fields by their own name.'), { email: 'jo@buyer.example' }),
    alter: withExamples(ALTER, { query: 'pt', at: [0, 5, -1] }),
  },
  { required: ['button'] },
)
