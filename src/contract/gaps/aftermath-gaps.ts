import { gap } from './gap.ts'
import { WEBHOOK_GAPS } from './webhook-gaps.ts'

/** Refusals of something that the present state of things forbids, and that no row of the error table names. */
const STATE_REFUSALS = ['conflict', 'validation_error'] as const

/** What is open about lifecycle, refunds, checkout, brokerage and commissions. */
const CLOSING_GAPS = {
  'hold-from': gap({
    requirement: 'STATE-07',
    question: 'States in which an order may still be held for manual review',
    values: ['EXTERNALLY_PAID', 'EXTERNALLY_PAID or TRANSFER_IN_PROGRESS'],
    reason: 'What has been cleared proceeds to transfer, so a review comes before it.',
  }),
  'cleared-order': gap({
    requirement: 'STATE-07',
    question: 'What a held order does once it has been cleared',
    values: ['waits for its transfer', 'starts its transfer'],
    reason: 'Clearing and starting the push are two triggers with an event each.',
  }),
  'cancel-from': gap({
    requirement: 'STATE-07',
    question: 'Until when the staff may cancel an order',
    values: ['before delivery', 'before the transfer'],
    reason: 'A refund that the partner asks for is possible as long.',
  }),
  'undone-late': gap({
    requirement: 'STATE-07',
    question: 'Whether the staff may refund an order that has been delivered',
    values: ['yes', 'no'],
    reason: 'The document limits the request of a partner, not the staff.',
  }),
  'hold-reasons': gap({
    requirement: 'STATE-08',
    question: 'What puts an order on hold',
    values: ['an operator, a magic domain or a rule of the world'],
    reason: 'Nothing happens automatically unless you configure it, so tests are not surprised.',
    chosenBy: 'the rules of a world (world rules --hold-above, --hold-country)',
  }),
  'hosted-order-state': gap({
    requirement: 'STATE-09',
    question: 'The state in which an order paid on the hosted page starts',
    values: ['TRANSFER_IN_PROGRESS', 'EXTERNALLY_PAID'],
    reason: 'EXTERNALLY_PAID keeps its meaning: paid outside the service.',
  }),
  'refund-refusal': gap({
    requirement: 'REF-04',
    question: 'How a refund is refused that the state or the sales model of the order forbids',
    values: STATE_REFUSALS,
    reason: 'The request is correct, but the present state does not allow it.',
  }),
  'second-refund': gap({
    requirement: 'REF-04',
    question: 'A second refund of the same order',
    values: ['refused', 'the first answer again'],
    reason: 'The order is not in a state that can be refunded any more.',
  }),
  'refunded-domain': gap({
    requirement: 'REF-04',
    question: 'The domain of an order that was refunded or cancelled',
    values: ['listed again', 'withdrawn'],
    reason: 'It has no owner, and the price was refunded.',
  }),
  'checkout-answer': gap({
    requirement: 'CHK-04',
    question: 'What the answer to a new checkout session holds',
    values: ['session, address, expiry and offer', 'address only'],
    reason: 'The document names checkout_url alone; a partner also wants to know its session again.',
  }),
  'return-parameters': gap({
    requirement: 'CHK-05',
    question: 'What the buyer brings along to return_url and cancel_url',
    values: ['session_id', 'session_id and status', 'nothing'],
    reason: 'The partner must know which of its sessions came back.',
  }),
  'ineligible-case': gap({
    requirement: 'BRK-06',
    question: 'How a case about a domain is refused that cannot be brokered',
    values: STATE_REFUSALS,
    reason: 'The request is correct, but the present state does not allow it.',
  }),
  'live-site-case': gap({
    requirement: 'BRK-06',
    question: 'A case about a domain that runs an active live site',
    values: ['refused', 'opened'],
    reason: 'Eligibility says that it cannot be brokered.',
  }),
  'case-states': gap({
    requirement: 'BRK-06',
    question: 'States of a brokerage case: opened, in negotiation, closed with a deal, closed without one',
    values: ['OPEN, NEGOTIATING, DEAL_CLOSED, CLOSED_NO_DEAL', 'open, in_negotiation, won, lost'],
    reason: 'Upper case, as the states of orders are.',
  }),
  'case-domain': gap({
    requirement: 'BRK-06',
    question: 'Whether a case names the domain it is about',
    values: ['if the partner gives one'],
    reason: 'Eligibility is asked about a domain, and the document does not list one in the body.',
    fixed: 'Required, the documented body would be refused; left out, no domain could ever be in a case.',
  }),
  'case-event': gap({
    requirement: 'BRK-06',
    question: 'What brokerage.case_completed says of its case',
    values: ['id, domain, tier, status and money', 'id and status'],
    reason: 'A partner that only listens must be able to book the deal.',
  }),
  'payable-from': gap({
    requirement: 'RPT-06',
    question: 'When the commission of a hosted sale becomes pending, and so may be paid out',
    values: ['delivery', 'the sale'],
    reason: 'Until then the sale can still be refunded.',
  }),
} as const

/** What is open about all that follows a sale. */
export const AFTERMATH_GAPS = { ...CLOSING_GAPS, ...WEBHOOK_GAPS } as const
