import { isCountry } from '../../contract/countries.ts'
import { isPlainText } from '../wire/plain-text.ts'
import { fitsFormat } from '../wire/validation.ts'
import type { PayingBuyer } from './payments.ts'

export type BuyerField = keyof PayingBuyer

/** What the form holds, as the buyer typed it. */
export type BuyerFields = Readonly<Record<BuyerField, string>>

/** What is wrong, field by field, in words for the buyer. */
export type BuyerFaults = Readonly<Partial<Record<BuyerField, string>>>

export const LONGEST = { name: 200, email: 320 } as const

/** What the form holds; spaces around a value are not meant. */
export function buyerFieldsOf(typed: (name: BuyerField) => string | undefined): BuyerFields {
  const trimmed = (name: BuyerField) => typed(name)?.trim() ?? ''
  return { name: trimmed('name'), email: trimmed('email'), country: trimmed('country') }
}

/**
 * What the buyer must correct before the payment.
 *
 * @returns null where nothing is.
 * @example faultsOf({ name: 'Jo', email: 'jo', country: 'AT' }) // { email: 'Enter an e-mail address like …' }
 */
export function faultsOf({ name, email, country }: BuyerFields): BuyerFaults | null {
  const faults: Partial<Record<BuyerField, string>> = {}
  if (name === '') faults.name = 'Enter your name.'
  else if (name.length > LONGEST.name) faults.name = `Enter a name of at most ${LONGEST.name} characters.`
  else if (!isPlainText(name)) faults.name = 'Enter a name without line breaks or control characters.'
  if (email === '') faults.email = 'Enter your e-mail address.'
  else if (email.length > LONGEST.email || !fitsFormat('email', email)) {
    faults.email = 'Enter an e-mail address like name@example.com.'
  }
  if (!isCountry(country)) faults.country = 'Choose your country.'
  return Object.keys(faults).length > 0 ? faults : null
}
