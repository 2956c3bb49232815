import { gap } from './gap.ts'

/** What is open about webhooks and the event history. */
export const WEBHOOK_GAPS = {
  'retry-schedule': gap({
    requirement: 'HOOK-07',
    question: 'How long after each failed attempt the next one is made, in world time',
    values: ['10s 1m 5m 30m 2h 8h 24h', '5s 5s 5s', '1h 6h 24h 24h 24h', 'never'],
    reason: 'Quick at first, and patient enough for a receiver that is down for a day.',
  }),
  'delivered-by': gap({
    requirement: 'HOOK-07',
    question: 'Which answers of a receiver count as delivered',
    values: ['any 2xx', 'only 200'],
    reason: 'The document asks for 200; the rest of 2xx says as much.',
  }),
  'delivery-redirects': gap({
    requirement: 'HOOK-07',
    question: 'Whether a redirect of the receiver is followed',
    values: ['no'],
    reason: 'It would send what was signed for one address to another.',
    fixed: 'Following one would be a way around where webhooks may be sent.',
  }),
  'webhook-secret-min-length': gap({
    requirement: 'HOOK-08',
    question: 'How many characters a webhook secret must have; none for any that is not empty',
    values: [16, 20, 'none'],
    reason: 'Shorter ones are guessed, and the document only says that the partner chooses it.',
  }),
  'webhook-url-refusal': gap({
    requirement: 'HOOK-08',
    question: 'How a url is refused that is sound, and leads to where webhooks may not be sent',
    values: ['validation_error', 'forbidden'],
    reason: 'Another url has to be given.',
  }),
  'webhook-places': gap({
    requirement: 'HOOK-08',
    question: 'Where webhooks may be sent',
    values: ['where the operator says'],
    reason:
      'Loopback by default, so that nothing leaves the machine; public addresses if other machines can reach the sandbox.',
    chosenBy: 'serve --webhook-hosts',
  }),
  'delivery-order': gap({
    requirement: 'HOOK-09',
    question: 'Whether a failing delivery holds up those of later events to the same endpoint',
    values: ['no', 'yes', 'no order is kept'],
    reason: 'One event that a receiver cannot process must not keep all others from it.',
  }),
  'unknown-after-id': gap({
    requirement: 'EVT-04',
    question: 'An after_id that is not an event of the caller',
    values: ['validation_error', 'not_found', 'an empty page'],
    reason: 'An empty page would look like the end of the history.',
  }),
  'events-limits': gap({
    requirement: 'EVT-04',
    question: 'Bounds of limit in the event history, and its default',
    values: ['1 to 200, 50 by default', '1 to 100, 20 by default', '1 to 1000, 100 by default'],
    reason: 'A day of a busy partner in a handful of pages.',
  }),
  'events-limit-outside': gap({
    requirement: 'EVT-04',
    question: 'A limit outside those bounds',
    values: ['validation_error', 'the nearest bound'],
    reason: 'A page of another size than asked for is a surprise.',
  }),
  'last-page-cursor': gap({
    requirement: 'EVT-04',
    question: 'next_cursor where nothing follows',
    values: ['none', 'the last event'],
    reason: 'The last page is known without another call.',
  }),
  'transfer-events': gap({
    requirement: 'EVT-04',
    question: 'Whether the history has events of a transfer.* family beside those of orders',
    values: ['none', 'transfer.started and transfer.completed'],
    reason: 'The document speaks of the family and shows neither its types nor its payload.',
  }),
} as const
