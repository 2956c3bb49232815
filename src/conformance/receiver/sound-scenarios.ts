import { EVENT_TYPES } from '../../contract/event-types.ts'
import { bodyFormSteps } from './body-forms.ts'
import { orderFacts } from './event-maker.ts'
import { judgeSound, type SoundStep } from './judge-sound.ts'
import { largeEvent } from './large-event.ts'
import type { ReceiverScenario } from './scenario.ts'

const DAY_MS = 86_400_000
const LARGE_BYTES = 64 * 1024
const MEDIUM_BYTES = 16 * 1024

const EVERY_TYPE: readonly SoundStep[] = EVENT_TYPES.map((type) => ({
  step: type.replaceAll('.', '_'),
  shows: 'RECV-01',
  make: (bench) => bench.sound(bench.event(type)),
  cause: 'this event type is not expected, or its payload is asked for more than the document promises',
}))

const OLD: readonly SoundStep[] = [
  ['three_days_old', 3 * DAY_MS],
  ['a_year_old', 365 * DAY_MS],
  ['two_minutes_ahead', -120_000],
].map(([step, ageMs]) => ({
  step: String(step),
  shows: 'RECV-14',
  make: (bench) => bench.sound(bench.event('order.recorded', { ageMs: Number(ageMs) })),
  cause: 'created_at is held against the clock, though a delivery may be repeated for days',
}))

const UNKNOWN_TYPES: readonly SoundStep[] = [
  ['of_an_order', 'order.domain_renewed'],
  ['of_a_transfer', 'transfer.started'],
  ['of_another_family', 'partner.terms_changed'],
].map(([step = '', type = '']) => ({
  step,
  shows: 'RECV-15',
  make: (bench) => bench.sound(bench.event(type)),
  cause: 'an event type that is not known is an error here; take it and leave it alone',
}))

const STRICT = 'members that are not known are refused; leave them alone'

const UNKNOWN_FIELDS: readonly SoundStep[] = [
  {
    step: 'in_the_envelope',
    shows: 'RECV-16',
    make(bench) {
      const event = bench.event('order.recorded')
      return bench.sound(event, JSON.stringify({ ...event, api_version: '2027-01', attempt: 1 }))
    },
    cause: STRICT,
  },
  {
    step: 'in_data',
    shows: 'RECV-16',
    make(bench) {
      const event = bench.event('order.recorded')
      return bench.sound(event, JSON.stringify({ ...event, data: { ...event.data, previous: { status: null } } }))
    },
    cause: STRICT,
  },
  {
    step: 'in_the_order',
    shows: 'RECV-16',
    make(bench) {
      const order = { ...orderFacts('order.settled', bench.maker.orderId()), labels: ['new'], buyer: null }
      return bench.sound(bench.event('order.settled', { data: { order } }))
    },
    cause: STRICT,
  },
]

const FOREIGN: readonly SoundStep[] = [
  {
    step: 'unknown_partner',
    shows: 'RECV-20',
    make: (bench) => bench.sound(bench.event('order.recorded', { partnerId: bench.maker.id('partner') })),
    cause: 'a partner_id that is not known is an error here; a failed delivery only comes again',
  },
  ...(['order.transfer_started', 'order.refunded'] as const).map(
    (type) =>
      ({
        step: `unknown_order_${type.slice('order.'.length)}`,
        shows: 'RECV-20',
        make: (bench) => bench.sound(bench.event(type, { publicId: bench.maker.orderId() })),
        cause: 'an order that is not known is an error here; of a hosted sale no earlier event tells',
      }) satisfies SoundStep,
  ),
]

const LARGE: readonly SoundStep[] = [
  ['sixteen_kibibytes', MEDIUM_BYTES],
  ['sixty_four_kibibytes', LARGE_BYTES],
].map(([step, bytes]) => ({
  step: String(step),
  shows: 'RECV-18',
  make: (bench) => bench.sound(largeEvent(bench, Number(bytes))),
  cause: 'the length of a body is limited to less; the document names no limit',
}))

const SPELLINGS: readonly SoundStep[] = ['X-Partner-Signature', 'X-PARTNER-SIGNATURE', 'x-Partner-signature'].map(
  (headerName) => ({
    step: headerName.replaceAll('-', '_'),
    shows: 'RECV-24',
    make: (bench) => ({ ...bench.sound(bench.event('order.recorded')), headerName }),
    cause: 'the name of the header is looked up in one spelling only',
  }),
)

/** What every receiver takes. */
export const SOUND_SCENARIOS: readonly ReceiverScenario[] = [
  sound('events/every-type', 'Every event type of the document is taken', EVERY_TYPE),
  sound(
    'raw-body/forms',
    'The signature is made over the bytes that came, however they are written',
    bodyFormSteps('RECV-03'),
  ),
  sound('events/old', 'An event is taken however old it is', OLD),
  sound('events/unknown-types', 'An event type that is not known is taken', UNKNOWN_TYPES),
  sound('events/unknown-members', 'Members that are not known are passed over', UNKNOWN_FIELDS),
  sound('events/unknown-partner-and-order', 'An event of an unknown partner or order is taken', FOREIGN),
  sound('bodies/large', 'A large event is taken', LARGE),
  sound('headers/spelling', 'The name of the header counts, however it is spelled', SPELLINGS),
]

/** A scenario of deliveries that have nothing to do with each other. */
export function sound(id: string, title: string, steps: readonly SoundStep[]): ReceiverScenario {
  return {
    id,
    title,
    checks: steps.map(({ step, shows }) => ({ step, requirement: shows })),
    deliveriesAtMost: steps.length * 2,
    turn: 'together',
    run: async (bench) => (await Promise.all(steps.map((step) => judgeSound(bench, step)))).flat(),
  }
}
