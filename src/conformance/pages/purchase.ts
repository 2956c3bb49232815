import { type FormValues, fillForm } from './fill-form.ts'
import { findButton, type Pressed } from './page-buttons.ts'
import type { PageVisit } from './page-visit.ts'
import type { PageContent } from './read-page.ts'

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
  if (TURNED_DOWN.test(wordsBesideButtons(content))) return null
  const next = findButton(content, 'pay')
  return next && !pressedSoFar.includes(outlineOf(next)) ? next : null
}

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
  if (content && /declin|insufficient|expired/i.test(wordsBesideButtons(content))) return false
  const { form, button } = pressed
  const [usual, whole] = [fillForm(form, button, given), fillForm(form, button, given, 'every field')]
  return JSON.stringify(usual) !== JSON.stringify(whole)
}

/** "Simulate a declined card" on a button says nothing about the card that was used. */
function wordsBesideButtons({ text, forms }: PageContent): string {
  const buttons = forms.flatMap((form) => form.buttons.map((button) => button.text))
  return buttons.reduce((rest, words) => (words === '' ? rest : rest.replace(words, ' ')), text)
}
