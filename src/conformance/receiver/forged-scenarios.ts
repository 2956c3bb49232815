import { EVENT_TYPES } from '../../contract/event-types.ts'
import type { Bench } from './bench.ts'
import { type Delivery, standingOf } from './delivery.ts'
import type { Envelope } from './event-maker.ts'
import {
  CHANGED_BODIES,
  forgedFrom,
  forgedStep,
  leftoverSecrets,
  NO_SIGNATURE,
  STRANGE_SIGNATURES,
  underAnotherSecret,
  WRONG_DIGESTS,
  WRONG_FORMS,
  WRONG_KEYS,
} from './forgeries.ts'
import { type ForgedStep, judgeForged } from './judge-forged.ts'
import { judgeSound } from './judge-sound.ts'
import type { ReceiverScenario } from './scenario.ts'

/** A forged event, its sound twin behind it. */
const DELIVERIES_OF_A_FORGERY = 3

/** What no receiver takes. @param secret of the receiver; it is not tried as a wrong one. */
export function forgedScenarios(secret: string): ReceiverScenario[] {
  return [
    forged(
      'signature/key',
      'A signature under another key is refused',
      WRONG_KEYS.map((row) => forgedStep('RECV-04', row)),
    ),
    forged(
      'signature/leftover-secrets',
      'No secret counts beside the one that was registered',
      leftoverSecrets(secret).map((row) => forgedStep('RECV-04', row)),
    ),
    forged(
      'signature/missing',
      'An event without a signature is refused',
      NO_SIGNATURE.map((row) => forgedStep('RECV-05', row)),
    ),
    forged(
      'signature/form',
      'Only the bare lower-case hex digest counts',
      WRONG_FORMS.map((row) => forgedStep('RECV-06', row)),
    ),
    forged(
      'signature/digest',
      'Another digest is refused',
      WRONG_DIGESTS.map((row) => forgedStep('RECV-07', row)),
    ),
    forged(
      'signature/body',
      'A body that was changed after signing is refused',
      CHANGED_BODIES.map((row) => forgedStep('RECV-08', row)),
    ),
    forged(
      'signature/strange',
      'A strange delivery is refused by an answer',
      STRANGE_SIGNATURES.map((row) => forgedStep('RECV-11', row)),
    ),
    forged('signature/every-type', 'Every event type is verified', EVERY_TYPE),
    forged('signature/known-id', 'An event that is known already is verified again', KNOWN_ID),
    NOT_SPOILT,
  ]
}

const EVERY_TYPE: readonly ForgedStep[] = [...EVENT_TYPES, 'order.domain_renewed'].map((type) =>
  forgedStep(
    'RECV-09',
    [type.replaceAll('.', '_'), underAnotherSecret, 'this event type is taken before its signature was looked at'],
    type,
  ),
)

const KNOWN_ID: readonly ForgedStep[] = [
  knownId('under_another_secret', underAnotherSecret),
  knownId('without_signature', () => ({ signatures: [] })),
  knownId('with_its_first_signature', ({ event, right }) => ({
    body: Buffer.from(JSON.stringify({ ...event, type: 'order.refunded' }), 'utf8'),
    signatures: [right],
  })),
]

/** The sound event first, then the same id in a delivery that is not. */
function knownId(step: string, forge: Parameters<typeof forgedFrom>[3]): ForgedStep {
  return {
    step,
    shows: 'RECV-10',
    cause: 'an id that is known is answered before its signature was looked at, or is remembered as verified',
    async make(bench) {
      const event = bench.event('order.recorded')
      const twin = bench.sound(event)
      const taken = standingOf(await bench.deliver(twin), bench.deadlineMs) === 'taken'
      return taken ? { forged: forgedFrom(bench, twin, event, forge), twin } : null
    },
  }
}

const NOT_SPOILT: ReceiverScenario = {
  id: 'signature/forged-first',
  title: 'A forged delivery does not keep the sound one of the same event out',
  checks: [{ step: 'sound_after_forged', requirement: 'RECV-12' }],
  deliveriesAtMost: 4,
  turn: 'together',
  async run(bench) {
    const event = bench.event('order.recorded')
    await bench.deliver(forgedOf(bench, event))
    return judgeSound(bench, {
      step: 'sound_after_forged',
      shows: 'RECV-12',
      make: () => bench.sound(event),
      cause: 'the id of a forged delivery is remembered, or its sender is shut out',
    })
  },
}

function forgedOf(bench: Bench, event: Envelope): Delivery {
  return forgedFrom(bench, bench.sound(event), event, underAnotherSecret)
}

function forged(id: string, title: string, steps: readonly ForgedStep[]): ReceiverScenario {
  return {
    id,
    title,
    checks: steps.map(({ step, shows }) => ({ step, requirement: shows })),
    deliveriesAtMost: steps.length * (DELIVERIES_OF_A_FORGERY + (id === 'signature/known-id' ? 2 : 0)),
    turn: 'together',
    run: async (bench) => (await Promise.all(steps.map((step) => judgeForged(bench, step)))).flat(),
  }
}
