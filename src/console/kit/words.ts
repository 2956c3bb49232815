import type { PaymentModel } from '../../contract/payment-models.ts'
import { stateWords } from './state-badge.tsx'

/** A kind of scheduled task: as it is called before its time has come, and after. */
const KINDS: Readonly<Record<string, readonly [due: string, happened: string]>> = {
  'quote.expired': ['A quote expires', 'Quote expired'],
  'checkout.expired': ['A checkout session expires', 'Checkout session expired'],
  'order.step': ['An automatic step of an order', 'Order step'],
  event: ['An event', 'Event'],
  'delivery.attempt': ['A delivery attempt', 'Delivery attempt'],
  'settlement.run': ['A settlement run', 'Settlement run'],
  'idempotency.expired': ['An idempotency key expires', 'Idempotency key expired'],
  'payment.succeeded': ['A buyer pays', 'Payment succeeded'],
  'payment.failed': ['A payment fails', 'Payment failed'],
  'case.closed': ['A brokerage case closes', 'Brokerage case closed'],
}

/** @example dueWords('idempotency.expired') // 'An idempotency key expires' */
export function dueWords(kind: string): string {
  return KINDS[kind]?.[0] ?? stateWords(kind.replace('.', '_'))
}

/** @example happenedWords('quote.expired') // 'Quote expired' */
export function happenedWords(kind: string): string {
  return KINDS[kind]?.[1] ?? stateWords(kind.replace('.', '_'))
}

const MODELS: Readonly<Record<PaymentModel, string>> = {
  partner_collected: 'Collected by the partner',
  hosted_checkout: 'Hosted checkout',
  brokerage: 'Brokerage',
}

export function modelWords(model: PaymentModel): string {
  return MODELS[model]
}
