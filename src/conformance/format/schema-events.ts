import { EVENT_TYPES } from '../../contract/event-types.ts'
import { byType, oneOf, partial, type Schema, string, type TypeOf, whole, withExamples } from '../../contract/schema.ts'
import { among, duration, stepId, templates } from './values.ts'

/** A type as a text: the history may hold others. */
const TYPES: readonly string[] = EVENT_TYPES

function hookName(description: string): Schema<string> {
  return string(description, {
    pattern: '^[a-z][a-z0-9_]*$',
    not: { enum: ['url', 'secret', 'idle'] },
  })
}

export const EVENTS = partial(
  'Events: those of the history since the scenario began, or deliveries at a hook. Waits for what is expected.',
  {
    type: withExamples(oneOf(TYPES, 'Only events of this type.'), 'order.recorded'),
    where: withExamples(templates('Only events with these values; keys are paths such as `data.order.domain`.'), {
      'data.order.domain': '${sellable.domain}',
    }),
    hook: withExamples(hookName('Deliveries at this hook of the receiver, rather than the history.'), 'main'),
    after: withExamples(stepId('Only what came after that step.'), 'made'),
    within: withExamples(
      duration('How long to wait for what is expected; 5s where absent, for deliveries across a network 30s.'),
      '10s',
    ),
    none_for: withExamples(
      duration(
        'Waits so long for what must not come, and expects no such event; shorter where the run has seen how late they come.',
      ),
      '2s',
    ),
  },
)

const LATE_ANSWER = partial(
  'An answer that is late.',
  {
    after: duration('So long after the delivery has come.'),
    status: whole('Its status; 200.', { minimum: 200 }),
  },
  { required: ['after'] },
)

const REDIRECT = partial('A redirect (307).', { redirect: string('Where it leads.') }, { required: ['redirect'] })

const STATUS: Schema<number> = { json: { minimum: 200, maximum: 599 } }

const OTHER_ANSWER: Schema<TypeOf<typeof LATE_ANSWER | typeof REDIRECT>> = {
  json: { oneOf: [LATE_ANSWER.json, REDIRECT.json] },
}

export const HOOK = partial(
  'How the receiver answers deliveries at a hook, from here on.',
  {
    name: withExamples(hookName('Which hook; main where absent.'), 'second'),
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
