import type { FormButton, FormField, PageForm } from './read-page.ts'

/** What is known of the one who fills a form in, by meaning or by a field's own name. */
export type FormValues = Readonly<Record<string, string>>

/** Fields by what they are for, the surest sign first. */
const MEANINGS: readonly (readonly [meaning: string, sign: RegExp])[] = [
  ['email', /e-?mail|(^|[^a-z])mail([^a-z]|$)/i],
  ['country', /country/i],
  ['card_number', /card.?(number|no)\b|cc-?number/i],
  ['card_expiry', /expir|exp.?date|cc-?exp/i],
  ['card_code', /cvc|cvv|security.?code|cc-?csc/i],
  ['name', /name|\bwho\b/i],
  ['phone', /phone|tel\b/i],
  ['postal_code', /postal|zip/i],
  ['city', /city|town/i],
  ['address', /address|street/i],
]

/** A buyer nobody is. The card number is the one that payment services keep for trying out. */
const PLAUSIBLE: FormValues = {
  email: 'buyer@example.com',
  name: 'Conformance Buyer',
  country: 'DE',
  card_number: '4242424242424242',
  card_expiry: '12/39',
  card_code: '123',
  phone: '+4930123456',
  postal_code: '10115',
  city: 'Berlin',
  address: 'Musterweg 1',
}

/** A box by which a page of a test service lets a payment fail. */
const DECLINING = /declin|fail|refus|reject|cancel/i

/** Which empty fields are filled in: those that are required or about the buyer, or every one that can be seen. */
export type Diligence = 'usual' | 'every field'

/**
 * What a browser would send when this button is pressed: every field with its value, those that are given, required or about
 * the buyer filled in. Few pages mark what they require.
 *
 * @example fillForm(form, button, { email: 'a@b.example' })
 */
export function fillForm(
  form: PageForm,
  button: FormButton,
  given: FormValues,
  diligence: Diligence = 'usual',
): [name: string, value: string][] {
  const pairs: [string, string][] = []
  const radios = new Set<string>()
  for (const field of form.fields) {
    if (field.name === '') continue
    if (field.type === 'radio') radios.add(field.name)
    else if (field.type === 'checkbox') {
      if (
        field.checked ||
        field.required ||
        (diligence === 'every field' && !DECLINING.test(`${field.name} ${field.hints}`))
      )
        pairs.push([field.name, field.value])
    } else if (field.type !== 'file') pairs.push([field.name, valueIn(field, given, diligence)])
  }
  for (const name of radios) {
    const group = form.fields.filter((field) => field.name === name)
    const chosen = group.find(({ value }) => value === given[name]) ?? group.find(({ checked }) => checked) ?? group[0]
    if (chosen) pairs.push([name, chosen.value])
  }
  if (button.name !== '') pairs.push([button.name, button.value])
  return pairs
}

function valueIn(field: FormField, given: FormValues, diligence: Diligence): string {
  if (field.type === 'hidden') return given[field.name] ?? field.value
  const meaning = meaningOf(field)
  const wanted = given[field.name] ?? (meaning === null ? undefined : given[meaning])
  if (wanted !== undefined) return optionFor(field, wanted) ?? wanted
  // What stands there already was put there for this buyer.
  const wantsFilling = field.required || meaning !== null || diligence === 'every field'
  if (field.value !== '' || (field.type !== 'select' && !wantsFilling)) return field.value
  const plausible = meaning === null ? 'Conformance' : (PLAUSIBLE[meaning] ?? 'Conformance')
  return field.type === 'select' ? (optionFor(field, plausible) ?? firstOption(field)) : byType(field, plausible)
}

function meaningOf({ name, type, hints }: FormField): string | null {
  if (type === 'email' || type === 'tel') return type === 'tel' ? 'phone' : 'email'
  return MEANINGS.find(([, sign]) => sign.test(name))?.[0] ?? MEANINGS.find(([, sign]) => sign.test(hints))?.[0] ?? null
}

function optionFor({ type, options }: FormField, wanted: string): string | null {
  if (type !== 'select') return wanted
  const fits = (text: string): boolean => text.toLowerCase() === wanted.toLowerCase()
  return options.find(({ value, text }) => fits(value) || fits(text))?.value ?? null
}

function firstOption({ options }: FormField): string {
  return options.find(({ value }) => value !== '')?.value ?? ''
}

function byType({ type }: FormField, plausible: string): string {
  if (type === 'number' || type === 'range') return '1'
  if (type === 'url') return 'https://partner.example.com/'
  return type === 'date' ? '2039-12-31' : plausible
}
