import { EVENT_TYPES } from '../../contract/event-types.ts'
import { byType, namedValues, object, oneOf, text, whole } from './schema-parts.ts'

const STEP_ID = { type: 'string', pattern: '^[a-z][a-z0-9_]*$' }
const HOOK_NAME = { type: 'string', pattern: '^[a-z][a-z0-9_]*$', not: { enum: ['url', 'secret', 'idle'] } }
const DURATION = { type: 'string', pattern: '^([0-9]+[dhms])+$' }

export const EVENTS = object('Reads the event history from a mark to its end.', {
  type: oneOf('Only events of this type.', EVENT_TYPES),
  where: namedValues('Only events with these values; keys are paths such as `data.order.domain`.'),
  since: text('The mark step to count from; the latest where absent.', STEP_ID),
  within: text('How long to wait for what is expected; 5s where absent.', DURATION),
})

export const QUIET = object(
  'Waits, then reads the event history: what is expected to be missing.',
  {
    events: oneOf('The event type that must not have come.', EVENT_TYPES),
    hook: text('At this hook of the receiver rather than in the history.', HOOK_NAME),
    where: namedValues('As in `events`.'),
    since: text('As in `events`.', STEP_ID),
    for: text('How long to wait; shorter where the run has seen how fast the history is. 2s where absent.', DURATION),
  },
  ['events'],
)

export const HOOK = object(
  'How the receiver answers deliveries at a hook, from here on.',
  {
    name: text('Which hook; main where absent.', HOOK_NAME),
    answer: byType('What they get.', {
      integer: { minimum: 200, maximum: 599 },
      string: { enum: ['hang_up'] },
      object: {
        oneOf: [
          object(
            'An answer that is late.',
            { after: text('So long after the delivery has come.', DURATION), status: whole('Its status; 200.', 200) },
            ['after'],
          ),
          object('A redirect (307).', { redirect: text('Where it leads.') }, ['redirect']),
        ],
      },
    }),
    times: whole('So many deliveries; all where absent.', 1),
    type: oneOf('Only deliveries of events of this type.', EVENT_TYPES),
    where: namedValues('Only deliveries with these values; keys are paths such as `data.order.domain`.'),
  },
  ['answer'],
)

export const RECEIVE = object('Waits for deliveries at a hook.', {
  hook: text('Which hook; main where absent.', HOOK_NAME),
  type: oneOf('Only events of this type.', EVENT_TYPES),
  where: namedValues('Only events with these values; keys are paths such as `data.order.domain`.'),
  since: text('Only what came after that step.', STEP_ID),
  within: text('How long to wait for what is expected; 5s where absent, 30s across a network.', DURATION),
})
