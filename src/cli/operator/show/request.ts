import type { ChalkInstance } from 'chalk'
import { escapeLine } from '../../../conformance/reporters/escape.ts'
import { colours } from '../../output/colour.ts'
import { moreLine } from '../../output/columns.ts'
import { diagnosisText } from '../../output/diagnosis.ts'
import { outline } from '../../output/outline.ts'
import { isRecord, type Row, rowsOf } from '../../output/records.ts'
import { fields, table } from '../../output/table.ts'
import type { Session } from '../../session.ts'
import { mishapText } from './fault.ts'

/** A page of the request log. */
export function requestList(answer: unknown): string {
  const requests = rowsOf(answer, 'requests')
  if (requests.length === 0) return 'no requests\n'
  const rows = table(requests, [
    { heading: 'REQUEST', cell: (row) => row['request_id'] },
    { heading: 'AT', cell: (row) => row['at'] },
    { heading: 'METHOD', cell: (row) => row['method'] },
    { heading: 'TARGET', cell: (row) => row['target'] },
    { heading: 'STATUS', cell: (row) => row['status'] },
    { heading: 'CODE', cell: (row) => row['code'] },
    { heading: 'CREDENTIAL', cell: (row) => row['credential'] },
    { heading: 'ON PURPOSE', cell: mishapText },
  ])
  return rows + moreLine(answer)
}

/** One call of the log: what went wrong first, then all that was sent, checked and answered. */
export function requestText(answer: unknown, session: Session): string {
  const { diagnosis, canonical_string, checks, request, answer: answered, ...facts } = isRecord(answer) ? answer : {}
  const paint = colours(session)
  const parts = [
    headline(facts, paint),
    ...(isRecord(diagnosis) ? [diagnosisText(diagnosis, paint)] : []),
    fields([...Object.entries(facts).filter(([name]) => !HEADLINE.has(name)), ['checks', checkLine(checks)]]),
    isRecord(diagnosis) && diagnosis['canonical_string']
      ? ''
      : section('canonical string', textLines(canonical_string)),
    section('request', outline(request)),
    section('answer', outline(answered)),
  ]
  return parts.filter((part) => part !== '').join('\n')
}

const HEADLINE = new Set(['request_id', 'method', 'target', 'status', 'code'])

function headline({ request_id, method, target, status, code }: Row, paint: ChalkInstance): string {
  const colour = typeof status === 'number' && status >= 400 ? paint.red : paint.green
  const outcome = colour(escapeLine([status, code].filter(Boolean).join(' ')))
  return `${paint.bold(escapeLine(`${method} ${target}`))}  ${outcome}  ${escapeLine(String(request_id ?? ''))}\n`
}

/** The checks up to the one that refused, and where it ended. */
function checkLine(checks: unknown): string {
  const all = rowsOf({ checks }, 'checks')
  const passed = all.filter(({ verdict }) => verdict === 'passed').map(({ check }) => String(check))
  const refused = all.filter(({ verdict }) => verdict === 'refused').map(({ check }) => `${check} refused`)
  return [...passed.map((name) => `${name} passed`), ...refused].join(', ')
}

function section(title: string, text: string): string {
  return text === '' ? '' : `${title}\n${text.replace(/^(?=.)/gm, '  ')}`
}

function textLines(text: unknown): string {
  return typeof text === 'string'
    ? text
        .split('\n')
        .map((line) => `${escapeLine(line)}\n`)
        .join('')
    : ''
}
