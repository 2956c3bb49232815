import { NotRun } from '../result/signals.ts'
import { type Alteration, alteredUrls } from './alter-query.ts'
import type { Pressed } from './page-buttons.ts'

type PressedButton = Extract<Pressed, { kind: 'button' }>

/** What is pressed with one character changed of what is sent, and the place of that character. */
export interface AlteredPress {
  pressed: PressedButton
  position: number
}

/**
 * A form with one character of a parameter changed, once for each place: in the address that it is sent to, and in the hidden
 * field of that name, whichever of the two the service goes by.
 *
 * @throws NotRun where the form does not send the parameter, Unproven where it has none of the places.
 * @example alteredForms('https://shop.test/pay', pressed, { query: 'pt', at: [-1], how: 'other' })
 */
export function alteredForms(pageUrl: string, pressed: Pressed, alteration: Alteration): AlteredPress[] {
  if (pressed.kind === 'link') throw new NotRun('needs-dialect', 'what is pressed is a link and sends no form')
  const { form, button } = pressed
  const { query } = alteration
  const { href, searchParams } = new URL(button.action ?? form.action, pageUrl)
  const hidden = form.fields.find(({ name, type }) => name === query && type === 'hidden')
  const inAddress = searchParams.has(query)
  if (!inAddress && !hidden)
    throw new NotRun('needs-dialect', `the form sends no ${query}, neither in its address nor in a hidden field`)
  const altered = alteredUrls(inAddress ? href : withParameter(query, hidden?.value ?? ''), alteration)
  return altered.map(({ url, position }) => {
    const value = new URL(url).searchParams.get(query) ?? ''
    const fields = form.fields.map((field) => (field === hidden ? { ...field, value } : field))
    const sent = inAddress ? { ...button, action: url } : button
    return { pressed: { ...pressed, form: { ...form, fields }, button: sent }, position }
  })
}

/** A value is altered like one in an address. */
function withParameter(name: string, value: string): string {
  return `http://form.invalid/?${name}=${encodeURIComponent(value)}`
}
