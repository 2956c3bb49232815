import { ERROR_CODES } from '../../contract/errors.ts'
import {
  anything,
  byType,
  flag,
  list,
  oneOf,
  partial,
  type Schema,
  string,
  whole,
  withExamples,
} from '../../contract/schema.ts'
import { among, MATCHERS, type Matcher, requirementId, some, stepId, type Template, templates } from './values.ts'

/** A code as a text: what an answer has is compared with it. */
const CODES: readonly string[] = ERROR_CODES

/** Only `true`, if the schema already says that it is a boolean. */
const TRUE: Schema<true> = { json: { const: true } }

/** A key that is present or not: false has no meaning. */
function said(description: string): Schema<boolean> {
  return { json: { description, const: true } }
}

const STATUS: Schema<number> = { json: { type: 'integer' } }

const SAME_AS = byType('The answer is the one an earlier step got.', {
  string: stepId(),
  object: partial(
    'Which step, and how alike.',
    {
      step: stepId(),
      by: oneOf(['bytes', 'body', 'json', 'status'], 'json (default) leaves request ids out, body the status.'),
      roles: list(string(), { description: 'Compare these roles only.' }),
      where: templates('Of a list among the roles only the items for which this holds.'),
      unlike: flag('Must differ instead.'),
    },
    { required: ['step'] },
  ),
})

const SORTED = partial(
  'The items are in order.',
  {
    by: string('Role or path of an item.'),
    order: oneOf(['ascending', 'descending', 'either'], 'ascending where absent.'),
  },
  { required: ['by'] },
)

const SUMS = partial(
  'A role of the items adds up.',
  { of: string('Role of an item.'), to: anything<Template>('The sum.') },
  { required: ['of', 'to'] },
)

const RUNNING = partial(
  'A running sum of the items.',
  {
    of: string('Role of what is added up.'),
    is: string('Role of the sum so far.'),
    by: string('Role of the kind of a line, where signs may follow from it.'),
  },
  { required: ['of', 'is'] },
)

const UNLESS = partial(
  'A failure proves nothing where the list that this earlier step read has such an item.',
  { step: stepId('A step that read a list.'), has: MATCHERS },
  { required: ['step', 'has'] },
)

export const EXPECTATION = partial(
  'What is asked for. With `shows` it is a check; without, a premise: if it is false, the rest decides nothing.',
  {
    accepted: withExamples(said('Any 2xx.'), true),
    authenticated: withExamples(
      said('Not refused for its signature: accepted, or refused for what it asks for.'),
      true,
    ),
    key_pair: withExamples(
      said('Key id and secret of the caller carry the same environment word; nothing is sent.'),
      true,
    ),
    refused: withExamples(
      byType('Any 4xx; with codes, that code and the status the document gives it.', {
        string: among(CODES),
        array: some(oneOf(CODES)),
        boolean: TRUE,
      }),
      'price_mismatch',
      ['conflict', 'rate_limited'],
      true,
    ),
    tolerate: withExamples(list(oneOf(CODES), { description: 'Codes that another sentence of the document allows.' }), [
      'invalid_signature',
    ]),
    status: withExamples(
      byType('The status; in a list, 0 is a connection that was closed without an answer.', {
        integer: anything<number>(),
        array: some(STATUS),
      }),
      409,
      [200, 201],
    ),
    roles: withExamples(MATCHERS, { 'order.status': 'EXTERNALLY_PAID', 'listing.price': { at_least: 1 } }),
    headers: withExamples(MATCHERS, { 'content-type': { contains: 'json' } }),
    same_as: withExamples(SAME_AS, 'first', { step: 'first', by: 'bytes' }),
    equal: withExamples(list(anything<Template>(), { description: 'All of these are the same value.', minItems: 2 }), [
      '${one.order.public_id}',
      '${two.order.public_id}',
    ]),
    differ: withExamples(
      list(anything<Template>(), { description: 'No two of these are the same value.', minItems: 2 }),
      ['${one.quote.id}', '${two.quote.id}'],
    ),
    items: withExamples(
      string(
        'A list role: count, includes, excludes, every, sorted, sums, distinct and at_most speak about its items.',
      ),
      'orders.items',
    ),
    distinct: withExamples(
      string('Count different values of this role (or path in an event) rather than things.'),
      'order.public_id',
    ),
    among: withExamples(
      oneOf(['accepted', 'refused', 'server_error', 'all'], 'Which answers of a burst; accepted where absent.'),
      'accepted',
    ),
    count: withExamples(
      anything<Matcher>('How many items, events, answers, or distinct values: a number or conditions.'),
      1,
      { at_least: 2 },
    ),
    at_most: withExamples(whole('Short for count: { at_most: n }.'), 5),
    includes: withExamples(MATCHERS, { 'order.public_id': '${made.order.public_id}' }),
    excludes: withExamples(MATCHERS, { 'order.public_id': '${other.order.public_id}' }),
    every: withExamples(MATCHERS, { 'delivery.signed': true }),
    sorted: withExamples(SORTED, { by: 'created_at', order: 'ascending' }),
    sums: withExamples(SUMS, { of: 'transaction.amount', to: '${report.transactions.gmv}' }),
    running: withExamples(RUNNING, { of: 'ledger.amount', is: 'ledger.balance', by: 'ledger.kind' }),
    matches: withExamples(string('A regular expression on the body as text.'), '[Pp]rice'),
    lacks: withExamples(anything<Template>('Texts that the answer must not contain, headers included.'), [
      '${credential.secret}',
    ]),
    hides_cause: withExamples(said('The body shows no stack trace, path, SQL or other cause.'), true),
    open: withExamples(
      string('A premise that is a choice of the target: where it does not hold, the rest is not run and not counted.'),
      'EVT-04',
    ),
    unless: withExamples(UNLESS, { step: 'sales', has: { 'transaction.status': 'REFUNDED' } }),
    says: withExamples(
      string('The expectation in one line, where the made one reads badly.'),
      'the refusal names the wrong field',
    ),
    shows: withExamples(
      byType('Requirements this shows.', { string: requirementId(), array: some(requirementId()) }),
      'ORD-03',
      ['ORD-03', 'ERR-01'],
    ),
  },
)

export const OBSERVATION = partial(
  'An open point and what is recorded of it.',
  {
    gap: withExamples(string('A requirement of level open.'), 'AUTH-17'),
    take: withExamples(string('outcome (default), status, code, count, or a role.'), 'outcome', 'status'),
    as: withExamples(
      string('Distinguishes several observations of one gap.', { pattern: '^[a-z][a-z0-9_.-]*$' }),
      'replay_detected',
    ),
  },
  { required: ['gap'] },
)
