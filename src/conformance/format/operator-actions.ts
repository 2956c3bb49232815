/** An action's argument in the words of a target file; a part that the argument lacks is absent. */
export type OperatorArguments = Readonly<Record<string, string | number>>

/** What an operator can be asked to do, in scenarios and in target files alike, with the argument each takes. */
export const OPERATOR_ACTIONS = {
  advance_clock: {
    about: 'moves the time of the target ahead',
    argument: 'duration',
    fills: ['seconds', 'duration'],
    ask: ({ duration }) => `move the clock of the target ${duration} ahead`,
  },
  skew_clock: {
    about: 'makes the target judge timestamps by a clock so far ahead; 0s undoes it',
    argument: 'duration',
    fills: ['seconds'],
    ask: ({ seconds }) =>
      seconds === 0
        ? 'let the target judge timestamps by its own clock again'
        : `make the target judge timestamps by a clock that is ${seconds} s ahead of its own`,
  },
  rate_limit: {
    about: 'limits the calls of each credential: { requests, per_seconds }; 0 requests lifts the limit',
    argument: 'limit',
    fills: ['requests', 'per_seconds'],
    ask: ({ requests, per_seconds: perSeconds }) =>
      requests === 0
        ? 'lift the rate limit of the target'
        : `limit each credential to ${requests} calls in ${perSeconds} s`,
  },
  fail_next: {
    about: 'makes this many of the next calls fail with 500, for all clients',
    argument: 'count',
    fills: ['count'],
    ask: ({ count }) => `make the next ${count} calls to the target fail with 500, for all clients`,
  },
  hold: {
    about: 'puts an order into manual review',
    argument: 'order',
    fills: ['public_id'],
    ask: ({ public_id: id }) => `put the order ${id} into manual review`,
  },
  clear: {
    about: 'clears a held order',
    argument: 'order',
    fills: ['public_id'],
    ask: ({ public_id: id }) => `clear the held order ${id}`,
  },
  start_transfer: {
    about: 'starts the domain push of an order',
    argument: 'order',
    fills: ['public_id'],
    ask: ({ public_id: id }) => `start the domain push of the order ${id}`,
  },
  complete_transfer: {
    about: 'confirms the delivery of an order',
    argument: 'order',
    fills: ['public_id'],
    ask: ({ public_id: id }) => `confirm the delivery of the order ${id}`,
  },
  settle: {
    about: 'runs the settlement that covers an order, if none has yet',
    argument: 'order',
    fills: ['public_id'],
    ask: ({ public_id: id }) => `run the settlement that covers the order ${id}`,
  },
  payout: {
    about: 'pays out what is payable to partners: all',
    argument: 'run',
    fills: [],
    ask: () => 'pay out what is payable to partners',
  },
  refund: {
    about: 'refunds an order',
    argument: 'order',
    fills: ['public_id'],
    ask: ({ public_id: id }) => `refund the order ${id}`,
  },
  cancel: {
    about: 'cancels an order',
    argument: 'order',
    fills: ['public_id'],
    ask: ({ public_id: id }) => `cancel the order ${id}`,
  },
  set_price: {
    about: 'gives a domain another price: { domain, price } with the price in cents',
    argument: 'price',
    fills: ['domain', 'price_cents', 'price_units'],
    ask: ({ domain, price_units: price }) =>
      `give the domain ${domain} the price ${price} (whole units of its currency)`,
  },
  close_deal: {
    about: 'closes a brokerage case with a deal: { case_id, price } with the price in cents',
    argument: 'deal',
    fills: ['case_id', 'price_cents', 'price_units'],
    ask: ({ case_id: id, domain, price_units: price }) =>
      `close the brokerage case ${id ?? `of ${domain}`} with a deal at ${price} (whole units of its currency)`,
  },
  close_no_deal: {
    about: 'closes a brokerage case without one',
    argument: 'case',
    fills: ['case_id'],
    ask: ({ case_id: id }) => `close the brokerage case ${id} without a deal`,
  },
  pay_checkout: {
    about: 'pays a checkout session, by its id, or { session_id, url }',
    argument: 'session',
    fills: ['session_id', 'checkout_url'],
    ask: ({ session_id: id, checkout_url: url }) => `pay the checkout session ${url ?? id}`,
  },
} as const satisfies Record<string, OperatorActionRow>

interface OperatorActionRow {
  readonly about: string
  readonly argument: 'duration' | 'limit' | 'count' | 'order' | 'run' | 'price' | 'deal' | 'case' | 'session'
  /** The question to a person, if no operator does it. */
  readonly ask: (values: OperatorArguments) => string
  /** Names that `${...}` may have in the target file's request for it. */
  readonly fills: readonly string[]
}

export type OperatorAction = keyof typeof OPERATOR_ACTIONS

export function isOperatorAction(word: string): word is OperatorAction {
  return Object.hasOwn(OPERATOR_ACTIONS, word)
}
