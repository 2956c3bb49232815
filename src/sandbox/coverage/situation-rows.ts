import { factId } from './facts.ts'
import { type DraftRow, type Evidence, type Section, section } from './row.ts'
import type { Met } from './tallies.ts'

/** What may happen to a client beside endpoints, codes and states. */
export function situationSection(evidence: Evidence): Section {
  return section(
    'situations',
    'Situations',
    SITUATIONS.map(({ id, title, met, hint }): DraftRow => {
      const seen = met(evidence)
      return { id, title, state: seen.count > 0 ? 'met' : 'not_met', seen, hint: hint(evidence) }
    }),
  )
}

interface Situation {
  readonly id: string
  readonly title: string
  met(evidence: Evidence): Met
  hint(evidence: Evidence): string
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
