import { EVENT_TYPES } from '../../contract/event-types.ts'
import {
  DELIVERY_STATES,
  deliveryProfileRows,
  deliveryRows,
  TAMPERINGS,
  webhookEndpointRows,
} from '../../operator-api/rows/deliveries.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import { askById, idWords } from '../operator/find-id.ts'
import type { Group } from '../operator/group.ts'
import { flagsFor, settingCommand } from '../operator/member-flags.ts'
import type { OperatorCommand } from '../operator/operator-command.ts'
import { lastAnswer, probesShow, probeText } from '../operator/show/deliveries.ts'
import { LONGEST_EVENT_TYPE, tailCommand } from '../operator/tail-command.ts'
import { choiceOption, durationText } from '../option-parsers.ts'
import { outline } from '../output/outline.ts'
import { membersOf } from '../output/records.ts'

const PROBE: OperatorCommand<{ tampering?: (typeof TAMPERINGS)[number] }> = {
  usage: 'delivery probe [id]',
  summary:
    'send a delivery with a wrong signature or body, to see whether the receiver verifies signatures (default: the latest)',
  idWords: idWords('deliveries'),
  options: (probe) =>
    probe
      .addOption(choiceOption('--tampering <what>', 'only this kind (default: each in turn)', TAMPERINGS))
      .addHelpText(
        'after',
        '\nExit codes: 0 if the receiver refused all of them and accepted the delivery itself, else 1.',
      ),
  async run(context, [id], { tampering }) {
    const answer = await askById(context, 'deliveries', id ?? 'last', (delivery_id) =>
      context.call('deliveries.probe', { delivery_id }, tampering === undefined ? {} : { tampering }),
    )
    context.show(answer, probeText)
    if (!probesShow(answer).isSafe) context.session.exitWith(EXIT_CODES.refused)
  },
}

const PROFILE = settingCommand({
  of: 'deliveryProfile',
  usage: 'delivery profile',
  summary: 'show or set how deliveries fail on purpose; omitted options use their defaults',
  flags: flagsFor(deliveryProfileRows['deliveryProfile.set'], [
    ['duplicate', '--duplicate <n>', 'send each event this many more times'],
    ['reorder', '--reorder', 'send later events before earlier ones that are due together'],
    ['delay', '--delay <duration>', 'delay the first attempt, in world time', durationText],
    ['drop', '--drop', 'send nothing'],
    ['wrong_secret', '--wrong-secret', 'sign with another secret'],
    ['before_response', '--before-response', 'answer a call only after the attempts for its events'],
  ]),
  usual: ['--reset', 'deliver normally again', 'profile-reset-alone'],
  text: outline,
})

const TAIL = tailCommand({
  kind: 'delivery',
  summary: 'follow webhook deliveries: each attempt, and what is dropped',
  filters: [
    ['state', '--state <state>', 'only in this state', DELIVERY_STATES],
    ['type', '--type <type>', 'only events of this type', EVENT_TYPES],
    ['partner_id', '--partner <id>', 'only to this partner'],
  ],
  wanted: ({ state, attempt_count }) => state !== 'pending' || attempt_count !== 0,
  /** The attempt that was just made, what came of it, and the state of the delivery now. */
  line(delivery) {
    const { delivery_id, state, type, event_id, partner_id, next_attempt_at: next } = delivery
    const { at, number } = membersOf(delivery['last_attempt'])
    return [
      [at, 24],
      [delivery_id, 20],
      [number === undefined ? 'no attempt' : `attempt ${String(number)}`, 10],
      [lastAnswer(delivery), 31],
      [state, 9],
      [type, LONGEST_EVENT_TYPE],
      [event_id, 20],
      [partner_id, 20],
      [typeof next === 'string' ? `next ${next}` : '', 0],
    ]
  },
})

export const GROUP: Group = {
  rows: { ...deliveryRows, ...webhookEndpointRows },
  extras: { list: [TAIL], redeliver: [PROBE, PROFILE] },
}
