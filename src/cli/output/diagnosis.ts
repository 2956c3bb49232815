import type { ChalkInstance } from 'chalk'
import { escapeLine } from '../../conformance/reports/escape.ts'
import { LINE_NAMES } from '../../contract/diagnosis/frame-mistakes.ts'
import { isRecord, type Row, rowsOf } from './records.ts'

/** Why a call was refused: the sentence, the first difference marked in both strings, and the header that was right. */
export function diagnosisText(diagnosis: Row, paint: ChalkInstance): string {
  const parts = [
    `${paint.yellow(escapeLine(String(diagnosis['sentence'] ?? '')))}\n`,
    equallyText(diagnosis),
    insteadText(diagnosis['send_instead']),
    hashedBodyText(diagnosis['hashed_body']),
    stringsText(diagnosis, paint),
    headerText(diagnosis, paint),
  ]
  return parts.filter((part) => part !== '').join('\n')
}

function equallyText(diagnosis: Row): string {
  const others = Array.isArray(diagnosis['equally']) ? diagnosis['equally'] : []
  return others
    .map((mistakes) =>
      rowsOf({ mistakes }, 'mistakes')
        .map(({ says }) => escapeLine(String(says)))
        .join('; and '),
    )
    .map((words) => `or, which makes the same here: ${words}\n`)
    .join('')
}

function insteadText(instead: unknown): string {
  return typeof instead === 'string' ? `send instead: ${escapeLine(instead)}\n` : ''
}

function hashedBodyText(hashed: unknown): string {
  if (!isRecord(hashed)) return ''
  const { sent_bytes, hashed_bytes, first_different_byte } = hashed
  return `${sent_bytes} bytes of body were sent, ${hashed_bytes} were hashed; they differ from byte ${first_different_byte} on\n`
}

function stringsText(diagnosis: Row, paint: ChalkInstance): string {
  const { canonical_string: right, client_canonical_string: signed, first_difference: difference } = diagnosis
  if (typeof right !== 'string') return ''
  const at = isRecord(difference) ? Number(difference['line_number']) : null
  const expected = `what a right signature covers\n${numbered(right, at, paint)}`
  if (typeof signed !== 'string' || signed === right) return expected
  const where = isRecord(difference)
    ? `\nfirst difference: ${difference['line']}, line ${at}, column ${difference['column']}\n`
    : ''
  return `${expected}\nwhat was signed\n${numbered(signed, at, paint)}${where}`
}

/** The lines with their names; the one that differs is marked. Ends of lines that act are made visible. */
function numbered(text: string, marked: number | null, paint: ChalkInstance): string {
  const width = Math.max(...LINE_NAMES.map((name) => name.length))
  return text
    .split('\n')
    .map((line, i) => {
      const shown = `${(LINE_NAMES[i] ?? '').padEnd(width)}  ${escapeLine(line)}`.trimEnd()
      return i + 1 === marked ? `${paint.red(`> ${shown}`)}\n` : `  ${shown}\n`
    })
    .join('')
}

function headerText(diagnosis: Row, paint: ChalkInstance): string {
  const header = diagnosis['expected_signature_header']
  return typeof header === 'string'
    ? `the header that would be right for this call\n  ${paint.green(escapeLine(header))}\n`
    : ''
}
