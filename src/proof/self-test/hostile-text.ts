/** A word that only a hostile target says, so that a report can be searched for it. */
export const MARK = 'HOSTILE'

/** One line with everything that terminals, markup, and CI logs obey. No line feed: it goes into status lines and headers, too. */
export const HOSTILE_LINE = [
  '\u001b[31mred\u001b[2J\u001b]0;title\u0007 \b\u007f \u009b1m \u202egnp.exe\u2066 \u200b\ufeff \ud800 \ufffe',
  `<script>alert("${MARK}")</script><img src=x onerror=${MARK}>&amp;'"]]>-->`,
  `![x](http://attacker.example/${MARK}) [x](javascript:${MARK}) \`${MARK}\` | ${MARK} |`,
  `::error::${MARK} ##[error]${MARK} %0A::error::${MARK}`,
].join(' ')

/** The part of it that a header may carry: a reader of bytes as Latin-1 finds C1 controls in it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
export const HOSTILE_HEADER = HOSTILE_LINE.replaceAll(/[\u0000-\u001f\u007f]/g, '')

/** All of it, and lines that a log or a report may mistake for its own. */
export const HOSTILE_TEXT = [
  HOSTILE_LINE,
  `::error::${MARK}`,
  `::set-output name=${MARK}::1`,
  `##[error]${MARK}`,
  `<script>${MARK}</script>`,
  `# ${MARK}`,
  '\r::add-mask::x\0',
].join('\n')

const RULES: readonly [what: string, pattern: RegExp][] = [
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
  ['a control character', /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/u],
  ['a bidirectional override', /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u],
  ['half of a surrogate pair', /\p{Cs}/u],
  ['a workflow command', new RegExp(`^\\s*(?:::(?:error|set-output|add-mask)[^:]*::|##\\[error\\])${MARK}`, 'mu')],
]

/** Texts with a meaning in plain text alone; between tags it is text like any other. */
const PLAIN_RULES: typeof RULES = [['a heading', new RegExp(`^# ${MARK}`, 'mu')]]

const MARKUP = new RegExp(`<script>(?:alert\\(")?${MARK}|<img src=x onerror=${MARK}`, 'u')

/**
 * What a hostile target has smuggled into a report; none if every character of it is only shown.
 *
 * @param isMarkup whether the report is HTML or XML.
 */
export function smuggledInto(report: string, isMarkup: boolean): string[] {
  const rules = isMarkup ? RULES : [...RULES, ...PLAIN_RULES]
  const found = rules.filter(([, pattern]) => pattern.test(report)).map(([what]) => what)
  return isMarkup && MARKUP.test(report) ? [...found, 'markup'] : found
}
