import { escapeLine } from '../../../conformance/reporters/escape.ts'
import { column, countColumn, moreLine } from '../../output/columns.ts'
import { isRecord, type Row, rowsOf } from '../../output/records.ts'
import { fields, table } from '../../output/table.ts'

/** A page of the delivery log. */
export function deliveryList(answer: unknown): string {
  const deliveries = rowsOf(answer, 'deliveries')
  if (deliveries.length === 0) return 'no deliveries\n'
  return (
    table(deliveries, [
      column('DELIVERY', 'delivery_id'),
      column('STATE', 'state'),
      column('TYPE', 'type'),
      column('EVENT', 'event_id'),
      countColumn('COPY', 'copy'),
      countColumn('ATTEMPTS', 'attempt_count'),
      { heading: 'LAST ATTEMPT', cell: (row: Row) => lastAttemptOf(row)['at'] },
      { heading: 'ANSWER', cell: lastAnswer },
      column('NEXT ATTEMPT', 'next_attempt_at'),
      column('PARTNER', 'partner_id'),
      column('CREATED', 'created_at'),
    ]) + moreLine(answer)
  )
}

function lastAttemptOf({ last_attempt: last }: Row): Row {
  return isRecord(last) ? last : {}
}

/**
 * What came of the last attempt, in words; empty where none was made.
 *
 * @example lastAnswer({ last_attempt: { status: 503, failure: 'answered 503', cause: 'schedule', probe: null } }) // 'answered 503'
 */
export function lastAnswer(delivery: Row): string {
  const { status, failure, cause, probe } = lastAttemptOf(delivery)
  if (cause === undefined) return ''
  const outcome = typeof failure === 'string' ? failure : `answered ${String(status)}`
  return cause === 'operator' ? `${outcome} (${causeOf({ cause, probe })})` : outcome
}

/** Both are an operator's doing, but only a redelivery is meant to be accepted. */
function causeOf({ cause, probe }: Row): unknown {
  if (typeof probe === 'string') return `probe: ${probe}`
  return cause === 'operator' ? 'redelivery' : cause
}

const ATTEMPTS = [
  countColumn('NO', 'number'),
  column('AT', 'at'),
  { heading: 'CAUSE', cell: causeOf },
  column('STATUS', 'status'),
  countColumn('MS', 'took_ms'),
  column('FAILURE', 'failure'),
  column('URL', 'url'),
]

/** A delivery with the exact body it sends, its attempts, and what was sent and answered in each. */
export function deliveryText(answer: unknown): string {
  const { body, attempts, last_attempt: _last, ...facts } = isRecord(answer) ? answer : {}
  const made = rowsOf({ attempts }, 'attempts')
  const parts = [
    fields(Object.entries(facts)),
    `body\n  ${escapeLine(String(body ?? ''))}\n`,
    made.length === 0 ? 'no attempts yet\n' : table(made, ATTEMPTS),
    ...made.map(exchangeText),
  ]
  return parts.join('\n')
}

/** What came of the probes of a delivery. */
export function probeText(answer: unknown): string {
  const { delivery_id: id } = isRecord(answer) ? answer : {}
  const probes = table(rowsOf(answer, 'probes'), [
    column('TAMPERING', 'tampering'),
    column('VERDICT', 'verdict'),
    column('STATUS', 'status'),
    column('FAILURE', 'failure'),
  ])
  return `${fields([['delivery', id]])}\n${probes}\n${verdictLine(rowsOf(answer, 'probes'))}\n`
}

/** What the probes say of the receiver. */
function verdictLine(probes: readonly Row[]): string {
  const taken = probes.filter(({ verdict }) => verdict === 'accepted').map(({ tampering }) => String(tampering))
  if (taken.length > 0)
    return `your receiver took a forgery (${escapeLine(taken.join(', '))}): it does not verify the signature`
  if (probes.some(({ verdict }) => verdict !== 'refused')) {
    return 'it is not clear whether your receiver verifies: only a 4xx says that it looked and refused'
  }
  return 'your receiver refused every forgery'
}

const SPOILT = 'spoilt on purpose: the delivery profile said wrong_secret'

/** What was wrong with an attempt on purpose; empty for a sound one. */
function spoiltNote({ signature_spoilt: isSpoilt, probe }: Row): string {
  if (typeof probe === 'string') return ` (a probe: another ${probe})`
  return isSpoilt === true ? ` (${SPOILT})` : ''
}

function exchangeText(attempt: Row): string {
  const { number, signature, answer } = attempt
  return `attempt ${number}\n${indented(
    fields([
      ['signature', `${signature}${spoiltNote(attempt)}`],
      ['answer', answer],
    ]),
  )}`
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, '  ')
}
