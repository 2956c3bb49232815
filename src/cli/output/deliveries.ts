import { escapeLine } from '../../conformance/reporters/escape.ts'
import { isRecord } from '../operator-client.ts'
import { rowsOf } from '../operator-command.ts'
import { column, countColumn, type Row } from './columns.ts'
import { moreLine } from './more-line.ts'
import { fields, table } from './table.ts'

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
      column('NEXT ATTEMPT', 'next_attempt_at'),
      column('PARTNER', 'partner_id'),
      column('CREATED', 'created_at'),
    ]) + moreLine(answer)
  )
}

const ATTEMPTS = [
  countColumn('NO', 'number'),
  column('AT', 'at'),
  column('CAUSE', 'cause'),
  column('STATUS', 'status'),
  countColumn('MS', 'took_ms'),
  column('FAILURE', 'failure'),
  column('URL', 'url'),
]

/** A delivery with the exact body it sends, its attempts, and what was sent and answered in each. */
export function deliveryText(answer: unknown): string {
  const { body, attempts, ...facts } = isRecord(answer) ? answer : {}
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
  return `${fields([['delivery', id]])}\n${probes}`
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
