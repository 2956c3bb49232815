import { escapeLine } from '../../conformance/reports/escape.ts'
import type { Paint } from '../../conformance/reports/paint.ts'
import { LINE_NAMES } from '../../contract/canonical-string.ts'
import { isObject } from '../../contract/is-object.ts'
import { type OutputRow, recordsIn, rowsOf } from './records.ts'

/** Why a call was refused: the sentence, the first difference marked in both strings, and the expected header. */
export function diagnosisText(diagnosis: OutputRow, paint: Paint): string {
  return explained(diagnosis, paint, equallyText(diagnosis), stringsText(diagnosis, paint))
}

/** The short form: the sentence, the two lines that differ first, and the expected header. */
export function diagnosisInBrief(diagnosis: OutputRow, paint: Paint): string {
  return explained(diagnosis, paint, '', differingLines(diagnosis, paint) ?? stringsText(diagnosis, paint))
}

function explained(diagnosis: OutputRow, paint: Paint, others: string, difference: string): string {
  const { sentence, send_instead: instead, hashed_body: hashed, expected_signature_header: header } = diagnosis
  const parts = [
    `${paint.yellow(escapeLine(String(sentence ?? '')))}\n`,
    others,
    comparedText(diagnosis, paint),
    typeof instead === 'string' && `send instead: ${escapeLine(instead)}\n`,
    isObject(hashed) &&
      `The body has ${hashed['sent_bytes']} bytes, but ${hashed['hashed_bytes']} bytes were hashed; first difference: byte ${hashed['first_different_byte']}\n`,
    difference,
    typeof header === 'string' && `the signature we expected\n  ${paint.green(escapeLine(header))}\n`,
    helpText(diagnosis, paint),
  ]
  return parts.filter((part) => part !== '' && part !== false).join('\n')
}

/** Each value that was sent beside the one that was expected. */
function comparedText(diagnosis: OutputRow, paint: Paint): string {
  return rowsOf(diagnosis, 'compared')
    .map(({ name, sent, expected }) => {
      const text = (value: unknown) => (value === null ? 'nothing' : escapeLine(String(value)))
      return `${text(name)}\n  sent      ${paint.red(text(sent))}\n  expected  ${paint.green(text(expected))}\n`
    })
    .join('')
}

/** What to do, each with the line that does it. */
function helpText(diagnosis: OutputRow, paint: Paint): string {
  return rowsOf(diagnosis, 'help')
    .map(({ says, command }) => {
      const line = typeof command === 'string' ? `  ${paint.cyan(escapeLine(command))}\n` : ''
      return `${escapeLine(String(says))}\n${line}`
    })
    .join('')
}

const NAME_CHARACTERS = Math.max(...LINE_NAMES.map(({ length }) => length))

/** The first line that differs, in both strings; nothing if none does, null if what was signed is not known. */
function differingLines(diagnosis: OutputRow, paint: Paint): string | null {
  const { canonical_string: right, client_canonical_string: signed, first_difference: difference } = diagnosis
  if (typeof right !== 'string' || typeof signed !== 'string') return null
  if (!isObject(difference)) return ''
  // Where one string ends earlier, the line before shows that the other goes on.
  const isEnd = difference['expected'] === null || difference['signed'] === null
  const index = Number(difference['line_number']) - (isEnd ? 2 : 1)
  const name = (LINE_NAMES[index] ?? '').padEnd(NAME_CHARACTERS)
  return [
    `line ${index + 1} of the canonical string\n`,
    `  expected  ${name}  ${paint.green(lineAt(right, index))}\n`,
    `  signed    ${name}  ${paint.red(lineAt(signed, index))}\n`,
  ].join('')
}

/** A line of a text, with the newline after it if there is one. */
function lineAt(text: string, index: number): string {
  const lines = text.split('\n')
  return escapeLine(lines[index] ?? '') + (index < lines.length - 1 ? '↵' : '')
}

function equallyText(diagnosis: OutputRow): string {
  const others = Array.isArray(diagnosis['equally']) ? diagnosis['equally'] : []
  return others
    .map((mistakes) => recordsIn(mistakes).map(({ says }) => escapeLine(String(says))))
    .map((says) => `or, with the same effect: ${says.join('; and ')}\n`)
    .join('')
}

function stringsText(diagnosis: OutputRow, paint: Paint): string {
  const { canonical_string: right, client_canonical_string: signed, first_difference: difference } = diagnosis
  if (typeof right !== 'string') return ''
  const at = isObject(difference) ? Number(difference['line_number']) : null
  const expected = `expected canonical string\n${numbered(right, at, paint)}`
  if (typeof signed !== 'string' || signed === right) return expected
  const where = isObject(difference)
    ? `\nFirst difference: line ${at} (${difference['line']}), column ${difference['column']}\n`
    : ''
  return `${expected}\nsigned canonical string\n${numbered(signed, at, paint)}${where}`
}

/** The lines with their names; the one that differs is marked. Ends of lines that act are made visible. */
function numbered(text: string, marked: number | null, paint: Paint): string {
  return text
    .split('\n')
    .map((line, i) => {
      const shown = `${(LINE_NAMES[i] ?? '').padEnd(NAME_CHARACTERS)}  ${escapeLine(line)}`.trimEnd()
      return i + 1 === marked ? `${paint.red(`> ${shown}`)}\n` : `  ${shown}\n`
    })
    .join('')
}
