import type { FormButton, PageContent, PageForm } from './read-page.ts'

/** The purpose of a button. */
type ButtonRole = 'pay' | 'cancel' | 'decline'

/** In this order: "Cancel the order" does not order, and "Pay, and be declined" does not pay. */
const ROLES: readonly (readonly [role: ButtonRole, words: RegExp])[] = [
  ['decline', /\b(declines?|declined|decline_payment|refused?|rejected?|fails?|failed|failure)\b/i],
  ['cancel', /\b(cancel(led)?|abort|abandon|go back|back to|return to|no,? thanks|leave)\b/i],
  ['pay', /\b(pay|pay_now|paid|buy|purchase|order|checkout|check out|confirm|complete|acquire)\b/i],
]

/** What is pressed: a button of a form, or a link. */
export type Pressed =
  | { kind: 'button'; form: PageForm; button: FormButton }
  | { kind: 'link'; link: PageContent['links'][number] }

/**
 * The one thing on a page that does what is asked for: by its words, else by its name, value and address. Null if there
 * is none; several are as good as none, unless they are alike.
 *
 * @example findButton(readPage(html), 'pay')
 */
export function findButton(page: PageContent, wanted: string): Pressed | null {
  const buttons = buttonsOf(page)
  const links = page.links.map((link): Pressed => ({ kind: 'link', link }))
  const fits = isButtonRole(wanted)
    ? (pressed: Pressed) => roleOf(pressed) === wanted
    : (pressed: Pressed) => wordsOf(pressed).toLowerCase().includes(wanted.toLowerCase())
  // A link is not a way to pay, but often a way to leave.
  const candidates = wanted === 'pay' ? [buttons] : [buttons, links]
  for (const group of candidates) {
    const [first, ...others] = group.filter(fits)
    if (first && others.every((pressed) => targetOf(pressed) === targetOf(first))) return first
  }
  return null
}

function buttonsOf({ forms }: PageContent): Pressed[] {
  return forms.flatMap((form) => form.buttons.map((button): Pressed => ({ kind: 'button', form, button })))
}

function isButtonRole(word: string): word is ButtonRole {
  return ROLES.some(([role]) => role === word)
}

function roleOf(pressed: Pressed): ButtonRole | null {
  const bySight = roleIn(wordsOf(pressed))
  if (bySight !== null || pressed.kind === 'link') return bySight
  const { button, form } = pressed
  return roleIn(plain(`${button.value} ${button.name} ${button.id}`)) ?? roleIn(plain(button.action ?? form.action))
}

function roleIn(words: string): ButtonRole | null {
  return ROLES.find(([, pattern]) => pattern.test(words))?.[0] ?? null
}

function wordsOf(pressed: Pressed): string {
  return pressed.kind === 'link' ? pressed.link.text : pressed.button.text
}

/** `pay-now_1` as words; of an address the path only, since its query holds tokens. */
function plain(text: string): string {
  return (text.split('?')[0] ?? '').replaceAll(/[^a-zA-Z]+/g, ' ')
}

function targetOf(pressed: Pressed): string {
  if (pressed.kind === 'link') return pressed.link.href
  const { button, form } = pressed
  return JSON.stringify([button.action ?? form.action, button.name, button.value])
}

/** Whether a buyer could pay here; null if the page may offer it by script, or has buttons that the runner does not recognize. */
export function sells(page: PageContent): boolean | null {
  const roles = buttonsOf(page).map(roleOf)
  if (roles.includes('pay')) return true
  return page.scripted || roles.includes(null) ? null : false
}
