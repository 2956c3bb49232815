import type { PaymentModel } from '../../contract/payment-models.ts'
import { stateWords } from './state-badge.tsx'

/** A kind of scheduled task: its name before its time has come, its name after that, and the name of several. */
const KINDS: Readonly<Record<string, readonly [due: string, happened: string, several: string]>> = {
  'order.step': ['An automatic step of an order', 'Order step', 'order steps'],
  event: ['An event', 'Event', 'events'],
  'delivery.attempt': ['A delivery attempt', 'Delivery attempt', 'delivery attempts'],
  'settlement.run': ['A settlement run', 'Settlement run', 'settlement runs'],
  'quote.expired': ['A quote expires', 'Quote expired', 'quotes expired'],
  'checkout.expired': ['A checkout session expires', 'Checkout session expired', 'checkout sessions expired'],
  'payment.succeeded': ['A buyer pays', 'Payment succeeded', 'payments succeeded'],
  'payment.failed': ['A payment fails', 'Payment failed', 'payments failed'],
  'case.closed': ['A brokerage case closes', 'Brokerage case closed', 'brokerage cases closed'],
  'idempotency.expired': ['An idempotency key expires', 'Idempotency key expired', 'idempotency keys expired'],
}

/** @example dueWords('idempotency.expired') // 'An idempotency key expires' */
export function dueWords(kind: string): string {
  return KINDS[kind]?.[0] ?? stateWords(kind.replace('.', '_'))
}

/** @example happenedWords('quote.expired') // 'Quote expired' */
export function happenedWords(kind: string): string {
  return KINDS[kind]?.[1] ?? stateWords(kind.replace('.', '_'))
}

/** How often each kind happened. @example happenedCounts({ event: 2, 'quote.expired': 1 }) // '2 events, 1 quote expired' */
export function happenedCounts(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([kind, count]) => countText(count, happenedWords(kind).toLowerCase(), KINDS[kind]?.[2]))
    .join(', ')
}

/** @example numberText(2028) // '2,028' */
export function numberText(count: number): string {
  return count.toLocaleString('en-US')
}

/** A number with its noun, as a person reads it. @example countText(2028, 'order') // '2,028 orders' */
export function countText(count: number, noun: string, many = `${noun}s`): string {
  return `${numberText(count)} ${count === 1 ? noun : many}`
}

export const MODEL_WORDS: Readonly<Record<PaymentModel, string>> = {
  partner_collected: 'Collected by the partner',
  hosted_checkout: 'Hosted checkout',
  brokerage: 'Brokerage',
}
