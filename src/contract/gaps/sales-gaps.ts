import { gap } from './gap.ts'

/** What is open about inventory, quotes, orders and idempotency. */
export const SALES_GAPS = {
  'created-status': gap({
    requirement: 'ORD-16',
    question: 'Status of a call that creates something',
    values: [201, 200],
    default: 201,
    reason: 'The usual answer to a POST that made a resource.',
  }),
} as const
