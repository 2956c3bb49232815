/** What is open about lifecycle, refunds, checkout, brokerage, referral, webhooks and events. */
export const AFTERMATH_GAPS = {} as const
