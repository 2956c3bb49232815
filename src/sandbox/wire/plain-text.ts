/** C0, DEL, C1, halves of surrogate pairs, and the two line ends of Unicode. */
const CONTROL = /[\p{Cc}\p{Cs}\u2028\u2029]/u
const CONTROLS = new RegExp(CONTROL, 'gu')
const ALL_BUT_LINE_FEEDS = new RegExp(`(?!\\n)${CONTROL.source}`, 'gu')

/** Neither white space nor an invisible mark. */
const SEEN = /[^\s\p{Cf}]/u

/** Replaces a character that cannot be shown. */
const REPLACEMENT = '\ufffd'

/**
 * Whether a text is one line that people can read: no control character in it, and something besides blanks. An empty one
 * is left to `minLength`.
 */
export function isPlainText(text: string): boolean {
  return text === '' || (!CONTROL.test(text) && SEEN.test(text))
}

/** HTML that is safe to send, also with old data. A line feed is a blank there and stays. */
export function withoutControls(html: string): string {
  return html.replace(ALL_BUT_LINE_FEEDS, REPLACEMENT)
}

/** Control characters that JSON leaves as they are, written as JSON would write the others. */
export function withControlsEscaped(json: string): string {
  return json.replace(CONTROLS, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
