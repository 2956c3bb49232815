/** What an operator can be asked to do, in scenarios and in target files alike, with the argument each takes. */
export const OPERATOR_ACTIONS = {
  advance_clock: { about: 'moves the time of the target ahead', argument: 'duration', fills: ['seconds', 'duration'] },
  skew_clock: {
    about: 'makes the target judge timestamps by a clock so far ahead; 0s undoes it',
    argument: 'duration',
    fills: ['seconds'],
  },
  rate_limit: {
    about: 'limits the calls of each credential: { requests, per_seconds }; 0 requests lifts the limit',
    argument: 'limit',
    fills: ['requests', 'per_seconds'],
  },
  fail_next: {
    about: 'makes so many of the next calls fail with 500, whoever makes them',
    argument: 'count',
    fills: ['count'],
  },
  hold: { about: 'puts an order into manual review', argument: 'order', fills: ['public_id'] },
  clear: { about: 'clears a held order', argument: 'order', fills: ['public_id'] },
  start_transfer: { about: 'starts the domain push of an order', argument: 'order', fills: ['public_id'] },
  complete_transfer: { about: 'confirms the delivery of an order', argument: 'order', fills: ['public_id'] },
  settle: { about: 'runs the settlement that covers an order', argument: 'order', fills: ['public_id'] },
  payout: { about: 'pays out what is payable to partners: all', argument: 'run', fills: [] },
  refund: { about: 'refunds an order', argument: 'order', fills: ['public_id'] },
  cancel: { about: 'cancels an order', argument: 'order', fills: ['public_id'] },
  set_price: {
    about: 'gives a domain another price: { domain, price } with the price in cents',
    argument: 'price',
    fills: ['domain', 'price_cents', 'price_units'],
  },
  close_deal: {
    about: 'closes a brokerage case with a deal: { case_id, price } with the price in cents',
    argument: 'deal',
    fills: ['case_id', 'price_cents', 'price_units'],
  },
  close_no_deal: { about: 'closes a brokerage case without one', argument: 'case', fills: ['case_id'] },
  pay_checkout: {
    about: 'pays a checkout session, by its id, or { session_id, url }',
    argument: 'session',
    fills: ['session_id', 'checkout_url'],
  },
} as const satisfies Record<string, OperatorActionRow>

interface OperatorActionRow {
  readonly about: string
  readonly argument: 'duration' | 'limit' | 'count' | 'order' | 'run' | 'price' | 'deal' | 'case' | 'session'
  /** Names that `${...}` may have in the target file's request for it. */
  readonly fills: readonly string[]
}

export type OperatorAction = keyof typeof OPERATOR_ACTIONS

export const OPERATOR_ACTION_NAMES = Object.keys(OPERATOR_ACTIONS) as OperatorAction[]

export function isOperatorAction(word: string): word is OperatorAction {
  return Object.hasOwn(OPERATOR_ACTIONS, word)
}
