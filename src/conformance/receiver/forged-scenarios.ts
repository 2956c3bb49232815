import { EVENT_TYPES } from '../../contract/event-types.ts'
import {
  CHANGED_BODIES,
  type ForgeryRow,
  forgedFrom,
  leftoverSecrets,
  NO_SIGNATURE,
  STRANGE_SIGNATURES,
  underAnotherSecret,
  unsigned,
  WRONG_DIGESTS,
  WRONG_FORMS,
  WRONG_KEYS,
} from './forgeries.ts'
import { forgedAfterSound, forgedSteps } from './judge-forged.ts'
import { judgeSound } from './judge-sound.ts'
import { courseStep, type ReceiverScenario, receiverScenario, stepOf } from './receiver-scenario.ts'

/** What no receiver takes. @param secret of the receiver; it is not tried as a wrong one. */
export function forgedScenarios(secret: string): ReceiverScenario[] {
  const forged = (id: string, title: string, shows: string, rows: readonly ForgeryRow[]) =>
    receiverScenario(id, title, forgedSteps(shows, rows))
  return [
    forged('signature/key', 'A signature under another key is refused', 'RECV-04', WRONG_KEYS),
    forged(
      'signature/leftover-secrets',
      'No secret counts beside the one that was registered',
      'RECV-04',
      leftoverSecrets(secret),
    ),
    forged('signature/missing', 'An event without a signature is refused', 'RECV-05', NO_SIGNATURE),
    forged('signature/form', 'Only the bare lower-case hex digest counts', 'RECV-06', WRONG_FORMS),
    forged('signature/digest', 'Another digest is refused', 'RECV-07', WRONG_DIGESTS),
    forged('signature/body', 'A body that was changed after signing is refused', 'RECV-08', CHANGED_BODIES),
    forged('signature/strange', 'An odd signature is refused by an answer', 'RECV-11', STRANGE_SIGNATURES),
    receiverScenario('signature/every-type', 'Every event type is verified', TYPES.flatMap(forgedOfType)),
    receiverScenario(
      'signature/known-id',
      'An event that is known already is verified again',
      forgedAfterSound('RECV-10', KNOWN_ID),
    ),
    NOT_SPOILT,
  ]
}

const TYPES = [...EVENT_TYPES, 'order.domain_renewed']

function forgedOfType(type: string) {
  const cause = 'this event type is accepted before its signature is checked'
  return forgedSteps('RECV-09', [[stepOf(type), underAnotherSecret, cause]], type)
}

const KNOWN = 'an id that is known is answered before its signature was looked at, or is remembered as verified'

const KNOWN_ID: readonly ForgeryRow[] = [
  ['under_another_secret', underAnotherSecret, KNOWN],
  ['without_signature', unsigned, KNOWN],
  [
    'with_its_first_signature',
    ({ event }) => ({ body: Buffer.from(JSON.stringify({ ...event, type: 'order.refunded' }), 'utf8') }),
    KNOWN,
  ],
]

const NOT_SPOILT = receiverScenario(
  'signature/forged-first',
  'A forged delivery does not keep out the valid one of the same event',
  [
    courseStep('RECV-12', ['sound_after_forged'], async (courier) => {
      const sound = courier.sound()
      await courier.deliver(forgedFrom(courier, sound, underAnotherSecret))
      const cause = 'the id of a forged delivery is remembered, or its sender is blocked'
      return judgeSound(courier, { step: 'sound_after_forged', shows: 'RECV-12', cause }, sound)
    }),
  ],
)
