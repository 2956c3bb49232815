import {
  anything,
  byType,
  flag,
  list,
  oneKey,
  oneOf,
  partial,
  record,
  reference,
  type Schema,
  string,
  type TypeOf,
  whole,
  withExamples,
} from '../../contract/schema.ts'
import { SCOPES } from '../../contract/scopes.ts'
import { FAULTS } from '../signing/signature-faults.ts'
import { EXPECTATION } from './expectations/expectation.ts'
import { OPERATOR_ACTIONS } from './operator-actions.ts'
import { EACH } from './schema-each.ts'
import { BODY, type CALL, CREDENTIAL, STEP_KINDS } from './step-kinds.ts'
import { among, DURATION, FIXTURES, REQUIREMENT_ID, STEP_ID, some, type Template, templates } from './values.ts'

const OBSERVATION = partial(
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

const ONE = { minProperties: 1, maxProperties: 1 } as const

const CALL_FAULTS = {
  idempotency_key: oneOf(['drop'], 'The Idempotency-Key header.'),
  scope: partial(
    'A credential of the same partner that lacks a scope.',
    { without: among(SCOPES) },
    { required: ['without'] },
  ),
  query: oneKey('One parameter.', { unset: string('Left out.'), set: record<Template>('With another value.', ONE) }),
  body: byType('The body, before it is signed.', {
    string: among(['not_json', 'trailing_comma', 'not_a_number', 'not_object', 'not_utf_8', 'deeply_nested', 'empty']),
    object: oneKey('One field, or the whole.', {
      unset: string('This field is left out.'),
      wrong_type: string('This field has a value of another JSON type.'),
      set: record<Template>('This field has another value.', ONE),
      raw: string('This text instead.'),
      oversized: whole('Valid JSON of so many bytes instead.', { minimum: 1 }),
    }),
  }),
  content_type: partial('Another Content-Type.', { raw: string('This one.') }, { required: ['raw'] }),
}

/** Names of the faults that change the call rather than its signature. */
export const CALL_FAULT_NAMES = Object.keys(CALL_FAULTS)

/** Faults of the signer, from its own table. */
const SIGNING_FAULTS = Object.fromEntries(
  Object.entries(FAULTS).map(([name, { about, words, values }]): [string, Schema<Template>] => {
    const names = Object.keys(words)
    const details = Object.entries<{ about: string; type: string; among?: readonly string[] }>(values).map(
      ([key, value]): [string, Schema<Template>] => [
        key,
        { json: { description: value.about, type: value.type, ...(value.among && { enum: value.among }) } },
      ],
    )
    const fault = byType(about, {
      ...(names.length > 0 && { string: among(names) }),
      ...(details.length > 0 && { object: oneKey(about, Object.fromEntries(details)) }),
    })
    return [name, fault]
  }),
)

/** Those, and the faults that change the call before it is signed. */
const FAULT: Schema<Record<string, Template>> = oneKey(
  'Exactly one thing that is wrong with the call, so that no other rule can answer first.',
  { ...SIGNING_FAULTS, ...CALL_FAULTS },
)

const EFFECTS = partial('What is left behind on the target, at most, where it does not follow from the steps.', {
  orders: withExamples(whole('Orders recorded.'), 1),
  quotes: withExamples(whole('Quotes made.'), 2),
  checkout_sessions: withExamples(whole('Checkout sessions made.'), 1),
  cases: withExamples(whole('Brokerage cases opened.'), 1),
  links: withExamples(whole('Tracking links made.'), 1),
  refunds: withExamples(whole('Refunds asked for.'), 1),
  webhooks: withExamples(whole('Webhook registrations replaced.'), 1),
  clock: withExamples(flag('Moves the time of the target: runs alone.'), true),
  settlement: withExamples(flag('Closes a settlement period: runs alone.'), true),
  exclusive: withExamples(flag('Runs alone for another reason.'), true),
  last: withExamples(
    flag('Runs after all others, in their world: it is about everything that the run has made.'),
    true,
  ),
})

const ELSE_RUNG = byType('One way out.', {
  string: among(['not_run', 'go_on']),
  object: oneKey('One way out.', {
    wait: withExamples(string('Real time.', DURATION), '10m30s'),
    ask: string('Asks the person who runs this.'),
  }),
})

const EXPECTATION_PART = reference('expectation', EXPECTATION)
const OBSERVATION_PART = reference('observation', OBSERVATION)

/** The key of each kind of step, in a step. */
const KEYS_OF_KINDS = Object.fromEntries(
  Object.entries(STEP_KINDS).map(([kind, { schema, examples }]) => [
    kind,
    { json: { ...reference(kind, schema as Schema<unknown>).json, examples } },
  ]),
) as unknown as { [Kind in keyof typeof STEP_KINDS]: (typeof STEP_KINDS)[Kind]['schema'] }

const STEP = partial('One action, and what is expected of it.', {
  each: EACH,
  id: withExamples(
    string('Name for other steps to refer to; needed where something is expected.', STEP_ID),
    'too_high',
  ),
  optional: withExamples(
    oneOf(
      ['step', 'checks'],
      'One more place of a rule that other steps show: not run, its checks keep no requirement from being shown. Of a `step`, what the target lacks for it (a second partner, a scope) leaves out the step alone, with what names it; of `checks`, the scenario.',
    ),
    'step',
    'checks',
  ),
  as: withExamples(reference('credential', CREDENTIAL), 'other_partner', { only: 'search' }, { without: 'buy' }),
  ...KEYS_OF_KINDS,
  else: withExamples(
    list(ELSE_RUNG, {
      description:
        'Where the operator action is not to be had: tried in order, `not_run` in the end. `go_on` does without it, and without it where it is refused, too.',
      minItems: 1,
    }),
    [{ wait: '10m30s' }, { ask: "Move the target's clock 10 min 30 s ahead" }, 'not_run'],
  ),
  fault: withExamples(
    reference('fault', FAULT),
    { timestamp: { shift: -400 } },
    { nonce: { reuse: 'first' } },
    { body: { unset: 'domain' } },
  ),
  expect: withExamples(
    byType('What is expected; plain acceptance where absent.', {
      string: among(['accepted']),
      object: EXPECTATION_PART,
      array: some(EXPECTATION_PART),
    }),
    'accepted',
    { refused: 'replay_detected', shows: 'NONCE-02' },
  ),
  observe: withExamples(
    byType('Open points: recorded, never failed.', {
      string: anything<string>(),
      object: OBSERVATION_PART,
      array: some(byType('One open point.', { string: anything<string>(), object: OBSERVATION_PART })),
    }),
    'AUTH-17',
    { gap: 'AUTH-17', take: 'status', as: 'replay_detected' },
  ),
})

const STEP_PART = reference('step', STEP)

/** What `needs` may list; of domains for sale also how many. */
export const NEEDS = [
  ...SCOPES.map((scope) => `scope.${scope}`),
  ...['sellable', ...FIXTURES].map((name) => `fixture.${name}`),
  'partner.other',
  'affiliate',
  'merchant',
  ...Object.keys(OPERATOR_ACTIONS).map((action) => `operator.${action}`),
]

export const NEED = `^(${NEEDS.join('|').replaceAll('.', '\\.')}|fixture\\.sellable\\([1-9][0-9]?\\))$`

const SCENARIO = partial(
  'One scenario of the conformance runner; see docs/scenarios.md.',
  {
    title: withExamples(
      string('A fact about a correct target, as a sentence.', { minLength: 10, maxLength: 140 }),
      'A price other than the listing price is refused and nothing is recorded',
    ),
    why: withExamples(
      string('Why the scenario is built as it is, where that is not plain.'),
      'The history is read as well, because an answer alone does not show that nothing was recorded.',
    ),
    proves: withExamples(
      list(string(undefined, REQUIREMENT_ID), {
        description: 'The must requirements that its steps show; empty for scenarios that only observe.',
        uniqueItems: true,
      }),
      ['ORD-03'],
      [],
    ),
    needs: withExamples(
      list(string(undefined, { pattern: NEED }), {
        description:
          'What the target has to have beyond what follows from the steps (scopes, domains, operator actions).',
      }),
      ['scope.buy'],
      ['fixture.sellable(2)', 'merchant'],
    ),
    tags: withExamples(
      list(string(undefined, { pattern: '^[a-z][a-z0-9-]*$' }), {
        description: 'Words to select scenarios by, beside the folder of the file.',
      }),
      ['pricing'],
    ),
    effects: withExamples(reference('effects', EFFECTS), { orders: 1 }),
    each: EACH,
    id: withExamples(
      string('Of a file with rows: the id of each, where it is not the file with the row in brackets.', {
        pattern: '^[a-z0-9/-]*\\$\\{each\\.[a-z0-9_.]+\\}[a-z0-9/-]*$',
      }),
      'canonical/${each.query.row}',
    ),
    vars: withExamples(templates('Values made once, before the first step: `${vars.name}`.'), { key: '${uuid}' }),
    steps: withExamples(list(STEP_PART, { description: 'What is done, in order.', minItems: 1 }), [
      { id: 'first', call: { op: 'availability', query: { domain: '${listed.domain}' } }, expect: 'accepted' },
    ]),
    cleanup: withExamples(list(STEP_PART, { description: 'Runs at the end in any case; judges nothing.' }), [
      { operator: { skew_clock: '0s' } },
    ]),
  },
  { required: ['title', 'proves', 'steps'] },
)

/**
 * The schema of scenario files, draft-07. scenarios/scenario.schema.json is this value written down for editors; a
 * test keeps the two alike.
 */
export const SCENARIO_SCHEMA: Schema<TypeOf<typeof SCENARIO>> = {
  json: {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Conformance scenario',
    ...SCENARIO.json,
    definitions: {
      effects: EFFECTS.json,
      credential: CREDENTIAL.json,
      body: BODY.json,
      ...Object.fromEntries(Object.entries(STEP_KINDS).map(([kind, { schema }]) => [kind, schema.json])),
      expectation: EXPECTATION.json,
      observation: OBSERVATION.json,
      fault: FAULT.json,
      step: STEP.json,
    },
  },
}

/** A scenario file as data: the types are those of its schema, where each key is described. */
export type Scenario = TypeOf<typeof SCENARIO>
export type Step = TypeOf<typeof STEP>
/** A step with its name in reports: its id, or its place. */
export type NamedStep = Step & { id: string }
/** A scenario that runs. */
export type NamedScenario = Omit<Scenario, 'steps'> & { steps: NamedStep[] }
export type CredentialChoice = TypeOf<typeof CREDENTIAL>
export type CallStep = TypeOf<typeof CALL>
export type PageStep = NonNullable<Step['page']>
export type ObserveItem = TypeOf<typeof OBSERVATION>

/** A checked scenario and where it came from. */
export interface LoadedScenario {
  /** Path under scenarios/ without its ending, e.g. `auth/nonce-reuse`; of a row with its name, `auth/nonce-reuse[webhooks.put]`. */
  id: string
  /** File as it was given to the loader. */
  file: string
  scenario: NamedScenario
}
