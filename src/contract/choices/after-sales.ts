/** Refusals of something that the present state of things forbids, and that no row of the error table names. */
const STATE_REFUSALS = ['conflict', 'validation_error'] as const

/** What is open about all that follows a sale. */
export const AFTER_SALES_CHOICES = {
  // Lifecycle, refunds, checkout, brokerage and commissions.
  'hold-from': {
    requirement: 'STATE-07',
    question: 'States in which an order may still be held for manual review',
    values: ['EXTERNALLY_PAID', 'EXTERNALLY_PAID or TRANSFER_IN_PROGRESS'],
    reason: 'What has been cleared proceeds to transfer, so a review comes before it.',
  },
  'cleared-order': {
    requirement: 'STATE-07',
    question: 'What a held order does once it has been cleared',
    values: ['waits for its transfer', 'starts its transfer'],
    reason: 'Clearing and starting the push are two triggers with an event each.',
  },
  'cancel-from': {
    requirement: 'STATE-07',
    question: 'Until when the staff may cancel an order',
    values: ['before delivery', 'before the transfer'],
    reason: 'A refund that the partner asks for is possible as long.',
  },
  'undone-late': {
    requirement: 'STATE-07',
    question: 'Whether the staff may refund an order that has been delivered',
    values: ['yes', 'no'],
    reason: 'The document limits the request of a partner, not the staff.',
  },
  'hold-reasons': {
    requirement: 'STATE-08',
    question: 'What puts an order on hold',
    values: ['an operator, a magic domain or a rule of the world'],
    reason: 'Nothing happens automatically unless you configure it, so tests are not surprised.',
    chosenBy: 'the rules of a world (world rules --hold-above, --hold-country)',
  },
  'hosted-order-state': {
    requirement: 'STATE-09',
    question: 'The state in which an order paid on the hosted page starts',
    values: ['TRANSFER_IN_PROGRESS', 'EXTERNALLY_PAID'],
    reason: 'EXTERNALLY_PAID keeps its meaning: paid outside the service.',
  },
  'refund-refusal': {
    requirement: 'REF-04',
    question: 'How a refund is refused that the state or the sales model of the order forbids',
    values: STATE_REFUSALS,
    reason: 'The request is correct, but the present state does not allow it.',
  },
  'second-refund': {
    requirement: 'REF-04',
    question: 'A second refund of the same order',
    values: ['refused', 'the first answer again'],
    reason: 'The order is not in a state that can be refunded any more.',
  },
  'refunded-domain': {
    requirement: 'REF-04',
    question: 'The domain of an order that was refunded or cancelled',
    values: ['listed again', 'withdrawn'],
    reason: 'It has no owner, and the price was refunded.',
  },
  'checkout-answer': {
    requirement: 'CHK-04',
    question: 'What the answer to a new checkout session holds',
    values: ['session, address, expiry and offer', 'address only'],
    reason: 'The document names checkout_url alone; a partner also wants to know its session again.',
  },
  'return-parameters': {
    requirement: 'CHK-05',
    question: 'What the buyer brings along to return_url and cancel_url',
    values: ['session_id', 'session_id and status', 'nothing'],
    reason: 'The partner must know which of its sessions came back.',
  },
  'ineligible-case': {
    requirement: 'BRK-06',
    question: 'How a case about a domain is refused that cannot be brokered',
    values: STATE_REFUSALS,
    reason: 'The request is correct, but the present state does not allow it.',
  },
  'live-site-case': {
    requirement: 'BRK-06',
    question: 'A case about a domain that runs an active live site',
    values: ['refused', 'opened'],
    reason: 'Eligibility says that it cannot be brokered.',
  },
  'case-states': {
    requirement: 'BRK-06',
    question: 'States of a brokerage case: opened, in negotiation, closed with a deal, closed without one',
    values: ['OPEN, NEGOTIATING, DEAL_CLOSED, CLOSED_NO_DEAL', 'open, in_negotiation, won, lost'],
    reason: 'Upper case, as the states of orders are.',
  },
  'case-domain': {
    requirement: 'BRK-06',
    question: 'Whether a case names the domain it is about',
    values: ['if the partner gives one'],
    reason: 'Eligibility is asked about a domain, and the document does not list one in the body.',
    fixed: 'Required, the documented body would be refused; left out, no domain could ever be in a case.',
  },
  'case-event': {
    requirement: 'BRK-06',
    question: 'What brokerage.case_completed says of its case',
    values: ['id, domain, tier, status and money', 'id and status'],
    reason: 'A partner that only listens must be able to book the deal.',
  },
  'payable-from': {
    requirement: 'RPT-06',
    question: 'When the commission of a hosted sale becomes pending, and so may be paid out',
    values: ['delivery', 'the sale'],
    reason: 'Until then the sale can still be refunded.',
  },

  // Webhooks and the event history.
  'retry-schedule': {
    requirement: 'HOOK-07',
    question: 'How long after each failed attempt the next one is made, in world time',
    values: ['10s 1m 5m 30m 2h 8h 24h', '5s 5s 5s', '1h 6h 24h 24h 24h', 'never'],
    reason: 'Quick at first, and patient enough for a receiver that is down for a day.',
  },
  'delivered-by': {
    requirement: 'HOOK-07',
    question: 'Which answers of a receiver count as delivered',
    values: ['any 2xx', 'only 200'],
    reason: 'The document asks for 200; the rest of 2xx says as much.',
  },
  'delivery-redirects': {
    requirement: 'HOOK-07',
    question: 'Whether a redirect of the receiver is followed',
    values: ['no'],
    reason: 'It would send what was signed for one address to another.',
    fixed: 'Following one would be a way around where webhooks may be sent.',
  },
  'webhook-secret-min-length': {
    requirement: 'HOOK-08',
    question: 'How many characters a webhook secret must have; none for any that is not empty',
    values: [16, 20, 'none'],
    reason: 'Shorter ones are guessed, and the document only says that the partner chooses it.',
  },
  'webhook-url-refusal': {
    requirement: 'HOOK-08',
    question: 'How a url is refused that is valid, and leads to where webhooks may not be sent',
    values: ['validation_error', 'forbidden'],
    reason: 'Another url has to be given.',
  },
  'webhook-places': {
    requirement: 'HOOK-08',
    question: 'Where webhooks may be sent',
    values: ['where the operator says'],
    reason:
      'Loopback by default, so that nothing leaves the machine; public addresses if other machines can reach the sandbox.',
    chosenBy: 'serve --webhook-hosts',
  },
  'delivery-order': {
    requirement: 'HOOK-09',
    question: 'Whether a failing delivery holds up those of later events to the same endpoint',
    values: ['no', 'yes', 'no order is kept'],
    reason: 'One event that a receiver cannot process must not keep all others from it.',
  },
  'unknown-after-id': {
    requirement: 'EVT-04',
    question: 'An after_id that is not an event of the caller',
    values: ['validation_error', 'not_found', 'an empty page'],
    reason: 'An empty page would look like the end of the history.',
  },
  'events-limits': {
    requirement: 'EVT-04',
    question: 'Bounds of limit in the event history, and its default',
    values: ['1 to 200, 50 by default', '1 to 100, 20 by default', '1 to 1000, 100 by default'],
    reason: 'A day of a busy partner in a handful of pages.',
  },
  'events-limit-outside': {
    requirement: 'EVT-04',
    question: 'A limit outside those bounds',
    values: ['validation_error', 'the nearest bound'],
    reason: 'A page of another size than asked for is a surprise.',
  },
  'last-page-cursor': {
    requirement: 'EVT-04',
    question: 'next_cursor where nothing follows',
    values: ['none', 'the last event'],
    reason: 'The last page is known without another call.',
  },
  'transfer-events': {
    requirement: 'EVT-04',
    question: 'Whether the history has events of a transfer.* family beside those of orders',
    values: ['none', 'transfer.started and transfer.completed'],
    reason: 'The document speaks of the family and shows neither its types nor its payload.',
  },
} as const
