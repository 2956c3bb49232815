/** When it happens in the examples. */
export const AT = '2026-01-15T12:00:00.000Z'
export const LATER = '2026-01-15T12:10:00.000Z'
/** Listed in every sandbox and out of the way of automatic progress, so that the calls work when they are pasted. */
export const DOMAIN = 'stalls-1.test'
export const ORDER_ID = 'ord_0h2m6v9q4x8k1c3z'
export const TOKEN = 'bG9jYWw.c2lnbmF0dXJl'

export const BUYER = { email: 'buyer@example.com', name: 'Ada Buyer', country: 'DE' }

const ORDER_FACTS = {
  public_id: ORDER_ID,
  domain: DOMAIN,
  status: 'EXTERNALLY_PAID',
  sale_price_cents: 30_000,
  currency: 'USD',
}

const EVENT_ID = 'evt_2w6j9s4c8q1x5z0v'

export const ORDER = {
  ...ORDER_FACTS,
  payment_model: 'partner_collected',
  buyer: BUYER,
  quote_id: null,
  external_payment_ref: 'inv-2026-0001',
  commission_cents: 6_000,
  amount_owed_cents: 24_000,
  created_at: AT,
  updated_at: AT,
  timeline: [{ status: 'EXTERNALLY_PAID', at: AT, event_id: EVENT_ID, note: null }],
}

export const ORDER_EVENT = { id: EVENT_ID, type: 'order.recorded', created_at: AT, data: { order: ORDER_FACTS } }

export const PAYOUTS = {
  payouts: [
    { payout_id: 'po_5z9x3c7v1b4n8m2k', amount_cents: 6_000, currency: 'USD', kind: 'commission', paid_at: AT },
  ],
  total_paid_cents: 6_000,
  next_cursor: null,
}

export const CASE_ID = 'brk_5t1n8d0w7y2f6r4p'

export const CASE = {
  case_id: CASE_ID,
  tier: 'managed',
  buyer_email: 'buyer@example.com',
  budget: 500_000,
  domain: DOMAIN,
  currency: 'USD',
  status: 'OPEN',
  progress_url: `http://127.0.0.1:4600/brokerage/progress?token=${TOKEN}`,
  partner_share_basis_points: 1_000,
  deal_price_cents: null,
  partner_cut_cents: null,
  created_at: AT,
  updated_at: AT,
  timeline: [{ status: 'OPEN', at: AT, event_id: null, note: null }],
}

export const LINK_ID = 'lnk_3c9x5b1g7k0s2v8d'

export const LINK = {
  link_id: LINK_ID,
  kind: 'domain',
  url: `http://127.0.0.1:4600/go/default/${LINK_ID}`,
  domain: DOMAIN,
  product: null,
  clicks: 0,
  sales: 0,
  created_at: AT,
}
