import { Open } from '../result/open.ts'
import type { Pressed } from './read-page.ts'

/** Which characters of which parameter are changed, one at a time. */
interface Alteration {
  query: string
  at: 'each' | readonly number[]
  how: 'other' | 'case' | 'longer' | 'shorter' | 'gone'
}

interface AlteredUrl {
  url: string
  /** Place of the changed character in the parameter's value, from 0. */
  position: number
}

/** More places than this are not tried; they are spread over the whole value, first and last included. */
const MAX_POSITIONS = 64

/**
 * The address with one character of a parameter changed, once for each place; everything else stays byte for byte. Negative
 * places count from the end.
 *
 * @throws Open (inconclusive) if the address has no such parameter, or none of the places.
 * @example alteredUrls('http://a.test/p?pt=ab', { query: 'pt', at: [0], how: 'other' })[0].url // '…?pt=bb'
 */
export function alteredUrls(url: string, { query, at, how }: Alteration): AlteredUrl[] {
  const match = new RegExp(`([?&]${query.replaceAll(/[^\w-]/g, '')}=)([^&#]*)`).exec(url)
  if (!match) throw Open.unproven(`the address has no parameter ${query}`)
  const [, head = '', value = ''] = match
  const start = match.index + head.length
  if (how === 'gone') return [{ position: 0, url: withoutPair(url, match.index, start + value.length) }]
  const positions = at === 'each' ? Array.from(value, (_, index) => index) : at
  const made = positions
    .map((position) => (position < 0 ? value.length + position : position))
    .filter((position) => position >= 0 && position < value.length && isWhole(value, position))
    .flatMap((position) => {
      const isEnd = /^=*$/.test(value.slice(position + 1))
      const changed = value.slice(0, position) + INSTEAD[how](value[position] ?? '', isEnd) + value.slice(position + 1)
      return changed === value
        ? []
        : [{ position, url: url.slice(0, start) + changed + url.slice(start + value.length) }]
    })
  if (made.length === 0) throw Open.unproven(`no character of ${query} can be changed there`)
  return spread(made)
}

/** The address without the pair that begins with its separator at `from`. */
function withoutPair(url: string, from: number, to: number): string {
  const rest = url.slice(to)
  return url.slice(0, from) + (url[from] === '?' ? rest.replace(/^&/, '?') : rest)
}

/** What was altered at an address or a form, as a report says it. */
export function alterationInWords({ query, how }: Pick<Alteration, 'query' | 'how'>, position: number): string {
  return how === 'gone' ? `without ${query}` : `with character ${position + 1} of ${query} changed`
}

function spread<Item>(items: readonly Item[]): Item[] {
  if (items.length <= MAX_POSITIONS) return [...items]
  const step = (items.length - 1) / (MAX_POSITIONS - 1)
  return Array.from({ length: MAX_POSITIONS }, (_, index) => items[Math.round(index * step)] as Item)
}

/** An escape is left alone: half of it changed would be another fault. */
function isWhole(value: string, position: number): boolean {
  return !value.slice(Math.max(0, position - 2), position + 1).includes('%')
}

/** Another character of the same kind: the next one, so that it is never the same letter in another case. */
function otherCharacter(character: string): string {
  if (/[a-yA-Y0-8]/.test(character)) return String.fromCharCode(character.charCodeAt(0) + 1)
  if (/[zZ9]/.test(character)) return { z: 'a', Z: 'A', '9': '0' }[character] ?? 'x'
  return character === '-' ? '_' : '-'
}

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** Another character whose first bit differs: the last bits of the last character of base64url may mean nothing. */
function farCharacter(character: string): string {
  const index = BASE64URL.indexOf(character)
  return index === -1 ? otherCharacter(character) : BASE64URL.charAt((index + 32) % 64)
}

/** What stands in the place of a character. */
const INSTEAD: Record<Exclude<Alteration['how'], 'gone'>, (character: string, isEnd: boolean) => string> = {
  other: (character, isEnd) => (isEnd ? farCharacter(character) : otherCharacter(character)),
  case: (character) => (character === character.toLowerCase() ? character.toUpperCase() : character.toLowerCase()),
  // The padding of a token counts for nothing.
  longer: (character) => (character === '=' ? character : character + otherCharacter(character)),
  shorter: (character) => (character === '=' ? character : ''),
}

type PressedButton = Extract<Pressed, { kind: 'button' }>

/** A button or link with one character of its data changed, and the place of that character. */
interface AlteredPress {
  pressed: PressedButton
  position: number
}

/**
 * A form with one character of a parameter changed, once for each place: in the address that it is sent to, and in the hidden
 * field of that name or with the value that the page was opened with, whichever of these the service goes by.
 *
 * @throws Open (not_run) if the form does not send the parameter, Open (inconclusive) if it has none of the places.
 * @example alteredForms('https://shop.test/pay', pressed, { query: 'pt', at: [-1], how: 'other' })
 */
export function alteredForms(pageUrl: string, pressed: Pressed, alteration: Alteration): AlteredPress[] {
  if (pressed.kind === 'link') throw Open.notRun('needs-dialect', 'what is pressed is a link and sends no form')
  const { form, button } = pressed
  const { query } = alteration
  const { href, searchParams } = new URL(button.action ?? form.action, pageUrl)
  const ofPage = new URL(pageUrl).searchParams.get(query)
  const hiddenFields = form.fields.filter(({ type }) => type === 'hidden')
  const hidden =
    hiddenFields.find(({ name }) => name === query) ??
    hiddenFields.find(({ value }) => ofPage !== null && ofPage !== '' && value === ofPage)
  const inAddress = searchParams.has(query)
  if (!inAddress && !hidden)
    throw Open.notRun('needs-dialect', `the form sends no ${query}, neither in its address nor in a hidden field`)
  const altered = alteredUrls(
    inAddress ? href : `http://form.invalid/?${query}=${encodeURIComponent(hidden?.value ?? '')}`,
    alteration,
  )
  return altered.map(({ url, position }) => {
    const value = new URL(url).searchParams.get(query) ?? ''
    const fields = form.fields.map((field) => (field === hidden ? { ...field, value } : field))
    const sent = inAddress ? { ...button, action: url } : button
    return { pressed: { ...pressed, form: { ...form, fields }, button: sent }, position }
  })
}
