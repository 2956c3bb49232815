import { escapeLine } from '../../../conformance/reports/escape.ts'
import type { Paint } from '../../../conformance/reports/paint.ts'
import { isObject } from '../../../contract/is-object.ts'
import { colors } from '../../output/color.ts'
import { diagnosisInBrief, diagnosisText } from '../../output/diagnosis.ts'
import { outline } from '../../output/outline.ts'
import { membersOf, type OutputRow, recordsIn } from '../../output/records.ts'
import { fields, indented } from '../../output/table.ts'
import type { Session } from '../../session.ts'
import { injectedFault } from './fault.ts'
import { findingsOf } from './requests.ts'

/**
 * One call of the log. Of a refused one the reason, what differs and the expected header.
 *
 * @param next writes another command for the same sandbox.
 */
export function requestInBrief(answer: unknown, session: Session, next: (words: string) => string): string {
  const { diagnosis, ...facts } = membersOf(answer)
  if (!isObject(diagnosis)) return requestText(answer, session)
  const paint = colors(session)
  const command = next(`request show ${String(facts['request_id'])} --full`)
  const rest = `all that was sent, checked and answered: ${paint.cyan(escapeLine(command))}\n`
  // What a proxy notices may be the very reason of the refusal.
  const noticed = findingsOf(facts)
    .filter((says) => says !== diagnosis['sentence'])
    .map((says) => `${paint.yellow(escapeLine(says))}\n`)
  return [headline(facts, paint), diagnosisInBrief(diagnosis, paint), ...noticed, rest].join('\n')
}

/** One call of the log: what went wrong first, then all that was sent, checked and answered. */
export function requestText(answer: unknown, session: Session): string {
  const { diagnosis, canonical_string, checks, request, answer: answered, ...facts } = membersOf(answer)
  const paint = colors(session)
  const onPurpose = injectedFault(facts)
  const parts = [
    headline(facts, paint),
    ...(isObject(diagnosis) ? [diagnosisText(diagnosis, paint)] : []),
    ...(onPurpose === null ? [] : [`${paint.yellow(escapeLine(`On purpose: ${facts['detail'] ?? onPurpose}`))}\n`]),
    fields([
      ...Object.entries(facts)
        .filter(([name]) => !HEADLINE.has(name))
        .map(([name, value]) => [LABELS[name] ?? name, value] as const),
      ['checks', checkLine(checks)],
    ]),
    isObject(diagnosis) && diagnosis['canonical_string'] ? '' : section('canonical string', canonical_string),
    section('request', request),
    section('answer', answered),
  ]
  return parts.filter((part) => part !== '').join('\n')
}

/** Members of the JSON whose names say too little beside the others. */
const LABELS: Readonly<Record<string, string>> = { mishap: 'fault effect', at: 'real_time' }

const HEADLINE = new Set(['request_id', 'method', 'target', 'status', 'code', 'reason', 'refused_by'])

function headline({ request_id, method, target, status, code }: OutputRow, paint: Paint): string {
  const painted = typeof status === 'number' && status >= 400 ? paint.red : paint.green
  const outcome = painted(escapeLine([status, code].filter(Boolean).join(' ')))
  return `${paint.bold(escapeLine(`${method} ${target}`))}  ${outcome}  ${escapeLine(String(request_id ?? ''))}\n`
}

/** The checks up to the one that refused, and where it ended. */
function checkLine(checks: unknown): string {
  const all = recordsIn(checks)
  const passed = all.filter(({ verdict }) => verdict === 'passed').map(({ check }) => String(check))
  const refused = all.filter(({ verdict }) => verdict === 'refused').map(({ check }) => `${check} refused`)
  return [...passed.map((name) => `${name} passed`), ...refused].join(', ')
}

function section(title: string, value: unknown): string {
  const text = value === null || value === undefined ? '' : outline(value)
  return text === '' ? '' : `${title}\n${indented(text)}`
}
