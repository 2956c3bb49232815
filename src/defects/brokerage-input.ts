import { either, flag, integer, number, object, optional, text } from '../sandbox/http/schema.ts'
import { codeOf, type Fields, refusingWith } from './answers.ts'
import type { Defect } from './defect.ts'
import { accepting } from './routes.ts'

/** Anything that stands in a field by itself. */
const ANY = either<unknown>(text(), number(), flag())

const LAX = object({ tier: ANY, buyer_email: ANY, budget: ANY, domain: optional(text({ format: 'domain' })) })

/** What a case is opened with in the place of a value that makes no sense. */
const USUAL: Fields = { tier: 'managed', buyer_email: 'buyer@example.test', budget: 100 }

/** Mistakes of reading what a case is to be opened with. */
export const brokerageInputDefects: readonly Defect[] = [
  {
    id: 'case-of-any-tier',
    breaks: ['BRK-03'],
    summary: 'The tier of a case is not validated.',
    ...lenient('tier', (tier) => tier === 'managed' || tier === 'self_serve', () => true),
  },
  {
    id: 'case-of-unreadable-email',
    breaks: ['BRK-03'],
    summary: 'The buyer_email of a case may be any text.',
    ...lenient('buyer_email', isEmail, (email) => typeof email === 'string'),
  },
  {
    id: 'case-of-numeric-email',
    breaks: ['BRK-03'],
    summary: 'A buyer_email that is a number or a flag is taken as a text.',
    ...lenient('buyer_email', isEmail, (email) => typeof email !== 'string'),
  },
  {
    id: 'case-of-no-budget',
    breaks: ['BRK-03'],
    summary: 'A budget of zero passes.',
    ...lenient('budget', isBudget, (budget) => budget === 0),
  },
  {
    id: 'case-of-negative-budget',
    breaks: ['BRK-03'],
    summary: 'A budget below zero passes.',
    ...lenient('budget', isBudget, (budget) => typeof budget === 'number' && budget < 0),
  },
  {
    id: 'case-of-budget-in-words',
    breaks: ['BRK-03'],
    summary: 'A budget in words passes, as a parser makes of it what it can.',
    ...lenient('budget', isBudget, (budget) => typeof budget === 'string'),
  },
  ...refusedWith({ status: 422, code: 'validation_error' }, 'is-422'),
  ...refusedWith({ status: 400, code: 'conflict' }, 'is-conflict'),
]

const body = object({
  tier: text(),
  buyer_email: text(),
  budget: integer(),
  domain: optional(text({ format: 'domain' })),
})
