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
  },
)

const PAIR: Schema<[Template, Template]> = { json: { type: 'array', minItems: 2, maxItems: 2 } }

const PAIRS: Schema<[Template, Template][]> = { json: { items: PAIR.json } }

export const AT_ONCE = partial(
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
  all_pages: withExamples(flag('A list: follows its cursor to the end and takes all of it for one answer.'), true),
  again: withExamples(stepId('Sends the request of that step again, byte for byte; stands alone.'), 'first'),
  after: withExamples(
    stepId('Repeats the call of that step after the Retry-After of its answer; stands alone.'),
    'limited',
  ),
  at_once: withExamples(
    byType('Makes the call several times at once.', {
      integer: whole('How many.', { minimum: 1, maximum: 64 }),
      object: AT_ONCE,
    }),
    8,
    { calls: 8, share: ['idempotency_key', 'body'] },
  ),
  until: withExamples(duration('Repeats the call until its step expects what it gets, at most this long.'), '5s'),
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
    how: oneOf(['other', 'case'], 'Another character of its kind (default), or the same letter in the other case.'),
  },
  { required: ['query'] },
)

export const PAGE = partial('A page, opened as a browser does, without any header of ours, or a button of it.', {
  open: withExamples(string('Opens the page at this address.', { minLength: 1 }), '${session.checkout.url}'),
  press: withExamples(
    string('Presses a button of a page: pay, cancel, decline, or words that are on it.', { minLength: 1 }),
    'pay',
  ),
  of: withExamples(stepId('The step whose page has the button; the latest where absent.'), 'page'),
  fill: withExamples(templates('email, name, country, or fields by their own name.'), { email: 'jo@buyer.example' }),
  follow: withExamples(flag("Follows redirects within the page's origin; true where absent."), false),
  cookies: withExamples(
    oneOf(['keep', 'fresh'], 'keep (default): the one browser of the scenario. fresh: another one from here on.'),
    'fresh',
  ),
  alter: withExamples(ALTER, { query: 'pt', at: [0, 5, -1] }),
})
