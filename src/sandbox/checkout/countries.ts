import { COUNTRY_CODES } from '../../contract/countries.ts'

let named: readonly (readonly [code: string, name: string])[] | null = null

/** The countries a buyer may choose from: codes with their English names, in the order of the names. */
export function countries(): readonly (readonly [code: string, name: string])[] {
  if (!named) {
    const names = new Intl.DisplayNames('en', { type: 'region' })
    const byName = new Intl.Collator('en')
    named = [...COUNTRY_CODES]
      .map((code) => [code, names.of(code) ?? code] as const)
      .sort((a, b) => byName.compare(a[1], b[1]))
  }
  return named
}
