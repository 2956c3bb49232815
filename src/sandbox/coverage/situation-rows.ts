import { PROBE_KINDS, type ProbeKind } from '../webhooks/probe.ts'
import { factId } from './facts.ts'
import { type DraftRow, type Evidence, type Section, section } from './row.ts'
import { type Met, NOTHING } from './tally.ts'

/** What may happen to a client beside endpoints, codes and states. */
interface Situation {
  readonly id: string
  readonly title: string
  met(evidence: Evidence): Met
  hint(evidence: Evidence): string
}

export function situationSection(evidence: Evidence): Section {
  return section(
    'situations',
    'Situations',
    SITUATIONS.map((situation) => situationRow(situation, evidence)),
  )
}

function situationRow({ id, title, met, hint }: Situation, evidence: Evidence): DraftRow {
  return { id, title, seen: met(evidence), hint: hint(evidence) }
}

const SITUATIONS: readonly Situation[] = [
  {
    id: 'cursor',
    title: 'a list read on with its cursor',
    met: ({ seen }) => seen('situation', 'cursor'),
    hint: () => 'GET /orders?limit=1, then again with cursor=next_cursor',
  },
  {
    id: 'after_id',
    title: 'the event history read on from an event',
    met: ({ seen }) => seen('situation', 'after_id'),
    hint: () => 'GET /events?after_id=evt_…',
  },
  {
    id: 'replayed',
    title: 'a stored answer repeated for an Idempotency-Key',
    met: ({ seen }) => seen('situation', 'replayed'),
    hint: () => 'POST /orders twice with one Idempotency-Key and the same bytes',
  },
  {
    id: 'quote-used',
    title: 'an order at the price of a quote',
    met: ({ fact }) => fact(factId('orders-of-quotes')),
    hint: () => 'POST /quotes, then POST /orders with its quote_id within ten minutes',
  },
  {
    id: 'quote-expired',
    title: 'a quote that ran out',
    met: ({ fact }) => fact(factId('quotes-expired')),
    hint: ({ command }) => `POST /quotes, then ${command('clock advance 11m')}`,
  },
  {
    id: 'checkout-paid',
    title: 'a checkout session that was paid',
    met: ({ fact }) => fact(factId('sessions', 'paid')),
    hint: ({ command }) => `open its checkout_url and pay, or ${command('checkout pay cs_…')}`,
  },
  {
    id: 'checkout-cancelled',
    title: 'a checkout session that was cancelled',
    met: ({ fact }) => fact(factId('sessions', 'cancelled')),
    hint: ({ command }) => `cancel on its page, or ${command('checkout cancel cs_…')}`,
  },
  {
    id: 'checkout-expired',
    title: 'a checkout session that ran out',
    met: ({ fact }) => fact(factId('sessions', 'expired')),
    hint: ({ command }) => `POST /checkout-session, then ${command('clock advance 8d')}`,
  },
  {
    id: 'click',
    title: 'a tracking link that was followed',
    met: ({ fact }) => fact(factId('clicks')),
    hint: () => 'POST /links, then open the url in its answer',
  },
  {
    id: 'attributed-sale',
    title: 'a sale attributed to a tracking link',
    met: ({ fact }) => fact(factId('orders-of-links')),
    hint: () => 'open a tracking link of the domain, go on to the checkout and pay there',
  },
]

export function webhookSection(evidence: Evidence): Section {
  return section('webhooks', 'Webhooks', [
    situationRow(ACCEPTED, evidence),
    ...PROBE_KINDS.map((kind) => probeRow(evidence, kind)),
    ...REPEATED.map((situation) => situationRow(situation, evidence)),
  ])
}

const ACCEPTED: Situation = {
  id: 'accepted',
  title: 'a sound delivery, answered 2xx',
  met: ({ fact }) => fact(factId('delivered')),
  hint: () => 'PUT /api/partner/webhooks with your receiver, then POST /orders',
}

const REPEATED: readonly Situation[] = [
  {
    id: 'twice',
    title: 'the same event delivered more than once, answered 2xx each time',
    met: ({ fact }) => fact(factId('delivered-twice')),
    hint: ({ command }) =>
      `${command('delivery profile --duplicate 1')}, then POST /orders; or ${command('delivery redeliver dlv_…')}`,
  },
  {
    id: 'later',
    title: 'a delivery that failed at first, answered 2xx later',
    met: ({ fact }) => fact(factId('delivered-later')),
    hint: ({ command }) =>
      `answer a delivery with 500 and the next attempt with 200; ${command('clock advance 10s')} brings it`,
  },
]

const TAMPERED: Record<ProbeKind, string> = {
  signature: 'a delivery with a digit of its signature altered, refused with 4xx',
  body: 'a delivery with a character of its body altered, refused with 4xx',
  secret: 'a delivery signed with another secret, refused with 4xx',
}

/** A receiver that refuses everything has verified nothing: it counts only beside a sound delivery that was accepted. */
function probeRow({ fact, command }: Evidence, kind: ProbeKind): DraftRow {
  const [refused, accepted, unclear] = (['refused', 'accepted', 'unclear'] as const).map((came) =>
    fact(factId('probes', kind, came)),
  )
  const isSound = fact(factId('delivered')).count > 0
  const row = { id: `refused-${kind}`, title: TAMPERED[kind], seen: refused ?? NOTHING }
  const hint = command(`delivery probe --tampering ${kind}`)
  if ((accepted?.count ?? 0) > 0) {
    return {
      ...row,
      state: 'wrong',
      says: 'the receiver took it for sound',
      hint: `verify it, then ${command('coverage reset')} and ${hint}`,
    }
  }
  if ((refused?.count ?? 0) > 0) {
    return isSound
      ? { ...row, state: 'met', hint }
      : {
          ...row,
          state: 'partly',
          says: 'refused, but no sound delivery was accepted',
          hint: 'answer a sound one with 200',
        }
  }
  const says = (unclear?.count ?? 0) > 0 ? 'the answer was neither 2xx nor 4xx, so it says nothing' : null
  return { ...row, state: says ? 'partly' : 'not_met', says, hint }
}
