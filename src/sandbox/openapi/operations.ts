import type { EndpointId } from '../../contract/endpoints.ts'
import type { ErrorCode } from '../../contract/errors.ts'

/** What people are told of an operation, beside what its schemas and its row of endpoints.ts say. */
export interface OperationWords {
  readonly summary: string
  readonly description: string
  /** The statements of fixtures/requirements.yaml it is judged by. */
  readonly requirements: readonly string[]
  /** Refusals beyond those that every call can meet ({@link EVERY_CALL}). */
  readonly refusals: readonly ErrorCode[]
}

/** What any signed call may be refused with, whatever its endpoint. */
export const EVERY_CALL: readonly ErrorCode[] = [
  'validation_error',
  'missing_credentials',
  'missing_signature_headers',
  'invalid_signature',
  'invalid_timestamp',
  'replay_detected',
  'forbidden',
  'rate_limited',
  'internal_error',
]

/** Every operation in words; a forgotten one does not compile. */
export const OPERATIONS: Record<EndpointId, OperationWords> = {
  'domains.search': {
    summary: 'Find domains by words or by meaning',
    description:
      'The best matches first, never more than five. Words of the name and its topics count alike; a query that nothing fits gets an empty list. Parameters other than `q` are passed over.',
    requirements: ['INV-01', 'INV-02', 'INV-03', 'INV-04', 'INV-05', 'SCOPE-01'],
    refusals: [],
  },
  'domains.detail': {
    summary: 'Read one listed domain',
    description: 'Price, availability and what is known about the name.',
    requirements: ['INV-06', 'INV-09', 'INV-10', 'SCOPE-01'],
    refusals: ['not_found'],
  },
  availability: {
    summary: 'Ask whether a domain can be bought now',
    description:
      'Names nobody lists are answered too: `available` is false then, and price and currency are null. Parameters other than `domain` are passed over.',
    requirements: ['INV-07', 'INV-09', 'INV-10', 'INV-11', 'INV-12', 'SCOPE-01'],
    refusals: [],
  },
  pricing: {
    summary: 'Read the buy-now and the floor price of a domain',
    description: 'For names that are listed and not sold. Parameters other than `domain` are passed over.',
    requirements: ['INV-08', 'INV-09', 'INV-11', 'INV-12', 'SCOPE-01'],
    refusals: ['not_found'],
  },
  'quotes.create': {
    summary: 'Fix the price of a domain for ten minutes',
    description:
      'Reserves the domain for the caller and holds its price while the quote lasts. Another quote of the same partner for the same domain replaces the one before.',
    requirements: ['QUOTE-01', 'QUOTE-04', 'QUOTE-05', 'QUOTE-06', 'QUOTE-07', 'QUOTE-08', 'QUOTE-09', 'SCOPE-02'],
    refusals: ['not_found', 'conflict'],
  },
  'orders.create': {
    summary: 'Record a sale whose price the partner has collected',
    description:
      'The partner has charged the buyer and reports the sale. Send the same `Idempotency-Key` again to repeat a call whose answer got lost: the first accepted answer comes back byte for byte, marked by `Idempotent-Replayed`.',
    requirements: [
      ...['ORD-01', 'ORD-02', 'ORD-03', 'ORD-04', 'ORD-05', 'ORD-11', 'ORD-12', 'ORD-13', 'ORD-16'],
      ...['QUOTE-02', 'QUOTE-03', 'QUOTE-05', 'QUOTE-07', 'SCOPE-02', 'SCOPE-10'],
      ...['IDEM-01', 'IDEM-02', 'IDEM-03', 'IDEM-04', 'IDEM-05', 'IDEM-07', 'IDEM-08', 'IDEM-09', 'IDEM-10'],
    ],
    refusals: ['missing_idempotency_key', 'not_found', 'conflict', 'price_mismatch', 'quote_expired'],
  },
  'orders.list': {
    summary: "List the partner's own orders",
    description: 'Newest first, in pages. Filters narrow the list together.',
    requirements: ['ORD-06', 'ORD-07', 'ORD-08', 'ORD-14', 'SCOPE-08'],
    refusals: [],
  },
  'orders.detail': {
    summary: 'Read one order with its timeline',
    description: "Other partners' orders are answered exactly as if they did not exist.",
    requirements: ['ORD-09', 'ORD-10', 'ORD-15', 'SCOPE-08'],
    refusals: ['not_found'],
  },
  'checkout.create': {
    summary: 'Open a hosted checkout page for a buyer',
    description:
      'Send the buyer to `checkout_url`. The page takes the payment, sells the domain in the name of the partner and sends the buyer on to `return_url`, or to `cancel_url`. A session reserves nothing.',
    requirements: ['CHK-01', 'CHK-02', 'CHK-03', 'CHK-04', 'CHK-05', 'CHK-06', 'SCOPE-03'],
    refusals: ['not_found', 'conflict'],
  },
  'settlements.list': {
    summary: 'List settlement statements',
    description:
      'Newest first. Every settlement run closes the period since the run before with a statement for every partner, of zeros where none of its orders were settled. A page is shorter than `limit`, and has a next one, where its statements list very many orders.',
    requirements: ['SET-01', 'SET-02', 'SCOPE-02'],
    refusals: [],
  },
  'transactions.list': {
    summary: 'List every domain sold through the partner',
    description: 'Under every sales model. The totals cover all rows the filters let through, not this page alone.',
    requirements: ['TXN-01', 'TXN-02', 'SCOPE-06'],
    refusals: [],
  },
  'payouts.list': {
    summary: 'List what was paid out to the partner',
    description: 'Commission of hosted sales and shares of brokered deals.',
    requirements: ['PAY-01', 'SCOPE-06'],
    refusals: [],
  },
  'brokerage.list': {
    summary: "List the partner's own brokerage cases",
    description: 'With how each of them ended, where it has ended.',
    requirements: ['BRKL-01', 'SCOPE-06'],
    refusals: [],
  },
  'refunds.create': {
    summary: 'Take back a sale that the partner collected',
    description: 'Possible until the domain has been delivered; later, and for sales of other kinds, it is refused.',
    requirements: ['REF-01', 'REF-02', 'REF-03', 'REF-04', 'SCOPE-02'],
    refusals: ['not_found'],
  },
  'brokerage.eligibility': {
    summary: 'Ask whether a domain can be brokered',
    description: 'A name with an active site, or one that is in a case already, cannot.',
    requirements: ['BRK-01', 'SCOPE-04'],
    refusals: [],
  },
  'brokerage.create': {
    summary: 'Open a brokerage case',
    description: 'The answer holds the address of a page on which the buyer follows the case without any login.',
    requirements: ['BRK-02', 'BRK-03', 'BRK-06', 'SCOPE-04'],
    refusals: [],
  },
  'brokerage.detail': {
    summary: 'Read one brokerage case with its timeline',
    description: "Other partners' cases are answered exactly as if they did not exist.",
    requirements: ['BRK-04', 'BRK-05', 'BRK-06', 'SCOPE-04'],
    refusals: ['not_found'],
  },
  'links.create': {
    summary: 'Create a tracking link',
    description: 'Of one of three kinds. Purchases of visitors who came through it are put down to it.',
    requirements: ['LINK-01', 'LINK-03', 'SCOPE-05', 'SCOPE-09'],
    refusals: ['not_found'],
  },
  'links.list': {
    summary: "List the partner's tracking links",
    description: 'Each with the clicks and sales it has brought.',
    requirements: ['LINK-02', 'SCOPE-05', 'SCOPE-09'],
    refusals: [],
  },
  'me.clicks': {
    summary: 'Count clicks on tracking links',
    description: 'In all and link by link, within a window of dates where one is given.',
    requirements: ['RPT-01', 'SCOPE-06', 'SCOPE-09'],
    refusals: [],
  },
  'me.sales': {
    summary: 'List the sales put down to tracking links',
    description: 'With the buyer, the amount and the commission of each.',
    requirements: ['RPT-02', 'SCOPE-06', 'SCOPE-09'],
    refusals: [],
  },
  'me.commissions': {
    summary: 'Read the commission ledger',
    description: 'Signed lines; each carries the balance after it, which is what the partner is owed.',
    requirements: ['RPT-03', 'RPT-06', 'SCOPE-06', 'SCOPE-09'],
    refusals: [],
  },
  'me.payouts': {
    summary: 'List payouts with their dates and total',
    description: 'The same payouts as under `/payouts`, for affiliates.',
    requirements: ['RPT-04', 'SCOPE-06', 'SCOPE-09'],
    refusals: [],
  },
  analytics: {
    summary: 'Read the referral funnel',
    description: 'From clicks to sales, with turnover and commission, within a window of dates where one is given.',
    requirements: ['RPT-05', 'SCOPE-06', 'SCOPE-09'],
    refusals: [],
  },
  'webhooks.put': {
    summary: 'Register or replace the webhook endpoint',
    description:
      'Deliveries are signed with the secret given here; no answer ever shows it. What is still due to an endpoint goes to the one that replaces it.',
    requirements: ['HOOK-01', 'HOOK-06', 'HOOK-08', 'SCOPE-07'],
    refusals: [],
  },
  'events.list': {
    summary: 'Read the event history',
    description:
      'Oldest first. Go on with `after_id` set to the `next_cursor` of the page before. Holds every event, delivered or not.',
    requirements: ['EVT-01', 'EVT-02', 'EVT-03', 'EVT-04', 'HOOK-10', 'SCOPE-07'],
    refusals: [],
  },
}

/** The sections of the document as tags. */
export const SECTIONS: Readonly<Record<string, string>> = {
  Inventory: 'What is for sale, and for how much.',
  'Partner-collected sales': 'Sales for which the partner charges the buyer itself.',
  'Hosted checkout': 'Sales on a payment page of the service.',
  'Settlement and reporting': 'What was sold, owed, paid out and taken back.',
  Brokerage: 'Acquisitions that the service conducts for a buyer.',
  Referral: 'Tracking links and what they earn; for credentials linked to an affiliate account.',
  Webhooks: 'Being told of events, and reading them up.',
}
