/**
 * The sales models that a sale may have come by (document: What the service does). The names are ours. Referral is none
 * of them: a tracked link is attribution, which a sale of the first two models may carry.
 */
export const PAYMENT_MODELS = ['partner_collected', 'hosted_checkout', 'brokerage'] as const

export type PaymentModel = (typeof PAYMENT_MODELS)[number]

/** Brokerage closes a deal without an order. */
export type OrderPaymentModel = Exclude<PaymentModel, 'brokerage'>
