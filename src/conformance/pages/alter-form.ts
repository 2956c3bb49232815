import { NotRun } from '../signals.ts'
import { type Alteration, alteredUrls } from './alter-query.ts'
import type { Pressed } from './page-buttons.ts'
import type { FormField } from './read-page.ts'

type PressedButton = Extract<Pressed, { kind: 'button' }>

/** What is pressed with one character changed of what is sent, and the place of that character. */
export interface AlteredPress {
  pressed: PressedButton
  position: number
}

/**
 * A form with one character of a parameter changed, once for each place: in the address that it is sent to, else in the hidden
 * field of that name.
 *
 * @throws NotRun where the form does not send the parameter, RangeError where it has none of the places.
 * @example alteredForms('https://shop.test/pay', pressed, { query: 'pt', at: [-1], how: 'other' })
 */
export function alteredForms(pageUrl: string, pressed: Pressed, alteration: Alteration): AlteredPress[] {
  if (pressed.kind === 'link') throw new NotRun('needs-dialect', 'what is pressed is a link and sends no form')
  const { form, button } = pressed
  const { query } = alteration
  const { href, searchParams } = new URL(button.action ?? form.action, pageUrl)
  if (searchParams.has(query)) {
    const urls = alteredUrls(href, alteration)
    return urls.map(({ url, position }) => ({ pressed: { ...pressed, button: { ...button, action: url } }, position }))
  }
  const field = form.fields.find(({ name, type }) => name === query && type === 'hidden')
  if (!field) throw new NotRun('needs-dialect', `the form sends no ${query}, neither in its address nor in a hidden field`)
  return alteredValues(field.value, alteration).map(({ value, position }) => ({
    pressed: { ...pressed, form: { ...form, fields: form.fields.map(replacing(field, value)) } },
    position,
  }))
}

function replacing(field: FormField, value: string): (candidate: FormField) => FormField {
  return (candidate) => (candidate === field ? { ...candidate, value } : candidate)
}

/** A value is altered like one in an address. */
function alteredValues(value: string, alteration: Alteration): { value: string; position: number }[] {
  const address = `http://form.invalid/?${alteration.query}=${encodeURIComponent(value)}`
  return alteredUrls(address, alteration).map(({ url, position }) => ({
    value: new URL(url).searchParams.get(alteration.query) ?? '',
    position,
  }))
}
