import type { PageVisit } from './page-visit.ts'
import { findButton, type PageContent, type Pressed } from './read-page.ts'

/** The values for the buyer who fills a form in, by meaning or by a field's own name. */
type FormValues = Readonly<Record<string, string>>

type Field = PageContent['forms'][number]['fields'][number]

interface Meaning {
  meaning: string
  sign: RegExp
  plausible: string
}

/**
 * Fields by what they are for, the surest sign first, with the values of an invented buyer. The card number is the one that payment
 * services keep for trying out.
 */
const MEANINGS: readonly Meaning[] = [
  { meaning: 'email', sign: /e-?mail|(^|[^a-z])mail([^a-z]|$)/i, plausible: 'buyer@example.com' },
  { meaning: 'country', sign: /country/i, plausible: 'DE' },
  { meaning: 'card_number', sign: /card.?(number|no)\b|cc-?number/i, plausible: '4242424242424242' },
  { meaning: 'card_expiry', sign: /expir|exp.?date|cc-?exp/i, plausible: '12/39' },
  { meaning: 'card_code', sign: /cvc|cvv|security.?code|cc-?csc/i, plausible: '123' },
  { meaning: 'name', sign: /name|\bwho\b/i, plausible: 'Conformance Buyer' },
  { meaning: 'phone', sign: /phone|tel\b/i, plausible: '+4930123456' },
  { meaning: 'postal_code', sign: /postal|zip/i, plausible: '10115' },
  { meaning: 'city', sign: /city|town/i, plausible: 'Berlin' },
  { meaning: 'address', sign: /address|street/i, plausible: 'Musterweg 1' },
]

/** A box by which a page of a test service lets a payment fail. */
const DECLINING = /declin|fail|refus|reject|cancel/i

/**
 * What a browser would send when this button is pressed: every field with its value, those that are given, required or about
 * the buyer filled in. Few pages mark what they require.
 *
 * @param diligence which empty fields are filled in: those that are required or about the buyer, or every one that can be seen.
 *
 * @example fillForm(form, button, { email: 'a@b.example' })
 */
export function fillForm(
  form: PageContent['forms'][number],
  button: PageContent['forms'][number]['buttons'][number],
  given: FormValues,
  diligence: 'usual' | 'every field' = 'usual',
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

function valueIn(field: Field, given: FormValues, diligence: 'usual' | 'every field'): string {
  if (field.type === 'hidden') return given[field.name] ?? field.value
  const known = meaningOf(field)
  const wanted = given[field.name] ?? (known && given[known.meaning])
  const chosen = wanted === undefined ? null : optionFor(field, wanted)
  if (chosen !== null) return chosen
  // What is there already was put there for this buyer.
  const wantsFilling = field.required || known !== undefined || diligence === 'every field'
  if (field.value !== '' || (field.type !== 'select' && !wantsFilling)) return field.value
  const plausible = known?.plausible ?? 'Conformance'
  if (field.type !== 'select') return byType(field, plausible)
  return optionFor(field, plausible) ?? field.options.find(({ value }) => value !== '')?.value ?? ''
}

function meaningOf({ name, type, hints }: Field): Meaning | undefined {
  if (type === 'email') return MEANINGS.find(({ meaning }) => meaning === 'email')
  if (type === 'tel') return MEANINGS.find(({ meaning }) => meaning === 'phone')
  return MEANINGS.find(({ sign }) => sign.test(name)) ?? MEANINGS.find(({ sign }) => sign.test(hints))
}

function optionFor({ type, options }: Field, wanted: string): string | null {
  if (type !== 'select') return wanted
  const fits = (text: string): boolean => text.toLowerCase() === wanted.toLowerCase()
  return options.find(({ value, text }) => fits(value) || fits(text))?.value ?? null
}

function byType({ type }: Field, plausible: string): string {
  if (type === 'number' || type === 'range') return '1'
  if (type === 'url') return 'https://partner.example.com/'
  return type === 'date' ? '2039-12-31' : plausible
}

/** Words of a page that has just refused a payment, and would refuse it again. */
const TURNED_DOWN =
  /\b(declin\w+|den(y|ied)|refus\w+|reject\w+|fail(ed|ure)?|errors?|unsuccessful|invalid|not (valid|accepted)|try again|retry|insufficient|expired?|no longer|(already|been|is) sold|sold out)\b/i

/**
 * What is to be pressed next so that a purchase goes on; null if the page asks for nothing it has not been given, as one does
 * that has refused the payment.
 *
 * @example nextToPay(readPage(html), [outlineOf(pressedBefore)])
 */
export function nextToPay(content: PageContent, pressedSoFar: readonly string[]): Pressed | null {
  if (TURNED_DOWN.test(wordsBesideControls(content))) return null
  const { sentByScript: form } = content
  const next = findButton(content, 'pay') ?? (form && { kind: 'button', form, button: NO_BUTTON })
  return next && !pressedSoFar.includes(outlineOf(next)) ? next : null
}

const NO_BUTTON = { text: '', name: '', value: '', id: '', action: null, method: null, encoding: null }

/** What a form asks for, without its values: a form that comes back has the same outline, with other tokens in it. */
export function outlineOf(pressed: Pressed): string {
  if (pressed.kind === 'link') return pressed.link.href
  const { form, button } = pressed
  const [action] = (button.action ?? form.action).split('?')
  const asked = form.fields.map(({ name, type }) => `${type} ${name}`).sort()
  return JSON.stringify([action, asked, button.text, button.name, button.value])
}

/** Whether a form was sent back because of fields left empty, which nothing had marked as required. */
export function isIncomplete({ answer, content }: PageVisit, pressed: Pressed, given: FormValues): boolean {
  if (pressed.kind === 'link' || (answer?.status !== 400 && answer?.status !== 422)) return false
  if (content && /declin|insufficient|expired/i.test(wordsBesideControls(content))) return false
  const { form, button } = pressed
  const [usual, whole] = [fillForm(form, button, given), fillForm(form, button, given, 'every field')]
  return JSON.stringify(usual) !== JSON.stringify(whole)
}

/** "Simulate a declined card" on a button, or beside a box, says nothing about the card that was used. */
function wordsBesideControls({ text, forms, labels }: PageContent): string {
  const controls = [...labels, ...forms.flatMap((form) => form.buttons.map((button) => button.text))]
  return controls.reduce((rest, words) => (words === '' ? rest : rest.replace(words, ' ')), text)
}
