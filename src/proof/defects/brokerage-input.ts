import { ApiError } from '../../contract/errors.ts'
import { either, flag, number, object, optional, type Schema, text } from '../../contract/schema.ts'
import { fitsFormat } from '../../sandbox/wire/validation.ts'
import { codeOf, type Fields, refusingWith } from './answers.ts'
import { type Defect, defect, type Tampered } from './defect.ts'
import { accepting } from './routes.ts'

type FieldName = 'tier' | 'buyer_email' | 'budget'

const ANY: Schema<unknown> = either<unknown>(text(), number(), flag(), object({}, { open: true }))

const LAX = object({ tier: ANY, buyer_email: ANY, budget: ANY, domain: optional(text({ format: 'domain' })) })

const IS_SOUND: Record<FieldName, (value: unknown) => boolean> = {
  tier: (tier) => tier === 'managed' || tier === 'self_serve',
  buyer_email: (email) => typeof email === 'string' && fitsFormat('email', email),
  budget: (budget) => Number.isSafeInteger(budget) && Number(budget) > 0,
}

/** The value that a case gets in place of one that should have been refused. */
const USUAL: Record<FieldName, unknown> = { tier: 'managed', buyer_email: 'buyer@example.test', budget: 100 }

/** Mistakes in reading the body that opens a case. */
export const brokerageInputDefects: readonly Defect[] = [
  defect('case-of-any-tier', ['BRK-03'], {
    summary: 'The tier of a case is not validated.',
    ...letting('tier', () => true),
  }),
  defect('case-of-unreadable-email', ['BRK-03'], {
    summary: 'The buyer_email of a case may be any text.',
    ...letting('buyer_email', (email) => typeof email === 'string'),
  }),
  defect('case-of-email-with-an-at', ['BRK-03'], {
    summary: 'Any text with an @ in it is a buyer_email.',
    ...letting('buyer_email', (email) => typeof email === 'string' && email.includes('@')),
  }),
  defect('case-of-numeric-email', ['BRK-03'], {
    summary: 'A buyer_email that is not text passes as valid.',
    ...letting('buyer_email', (email) => typeof email !== 'string'),
  }),
  defect('case-of-zero-budget', ['BRK-03'], {
    summary: 'A budget of zero passes.',
    ...letting('budget', (budget) => budget === 0),
  }),
  defect('case-of-true-budget', ['BRK-03'], {
    summary: 'A flag is a budget.',
    ...letting('budget', (budget) => typeof budget === 'boolean'),
  }),
  defect('case-of-negative-budget', ['BRK-03'], {
    summary: 'A budget below zero passes.',
    ...letting('budget', (budget) => typeof budget === 'number' && budget < 0),
  }),
  defect('case-of-budget-in-words', ['BRK-03'], {
    summary: 'A budget in words passes, because the parser is lenient.',
    ...letting('budget', (budget) => typeof budget === 'string'),
  }),
  defect('case-malformed-is-422', ['BRK-03'], {
    summary: 'A malformed case is refused with validation_error and status 422.',
    ...refusingWith(isMalformed, 422, 'validation_error'),
  }),
]

/** A server that accepts some values of a field which it should refuse. */
function letting(name: FieldName, passes: (value: unknown) => boolean): Tampered {
  return accepting('brokerage.create', { body: LAX }, (input, sound) => {
    const value = input.body[name]
    const read = !IS_SOUND[name](value) && passes(value) ? { ...input.body, [name]: USUAL[name] } : input.body
    refuseMalformed(read)
    return sound({ ...input, body: read })
  })
}

function refuseMalformed(body: Fields): void {
  for (const name of Object.keys(IS_SOUND) as FieldName[]) {
    if (!IS_SOUND[name](body[name])) throw new ApiError('validation_error', `${name} is malformed`)
  }
}

function isMalformed(...[answer, call]: Parameters<Parameters<typeof refusingWith>[0]>): boolean {
  return call.endpoint === 'brokerage.create' && codeOf(answer) === 'validation_error'
}
