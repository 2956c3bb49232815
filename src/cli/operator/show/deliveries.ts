import { escapeLine } from '../../../conformance/reports/escape.ts'
import { PROGRAM } from '../../../contract/shell-quote.ts'
import { membersOf, type OutputRow, recordsIn, rowsOf } from '../../output/records.ts'
import { type Column, fields, indented, type ListView, table } from '../../output/table.ts'

export const DELIVERIES: ListView = {
  list: 'deliveries',
  none: 'no deliveries',
  columns: [
    ['DELIVERY', 'delivery_id'],
    ['STATE', 'state'],
    ['TYPE', 'type'],
    ['EVENT', 'event_id'],
    ['COPY', 'copy', 'count'],
    ['ATTEMPTS', 'attempt_count', 'count'],
    ['LAST ATTEMPT', (delivery) => membersOf(delivery['last_attempt'])['at']],
    ['ANSWER', lastAnswer],
    ['NEXT ATTEMPT', 'next_attempt_at'],
    ['PARTNER', 'partner_id'],
    ['CREATED', 'created_at'],
  ],
}

/**
 * What came of the last attempt, in words; empty where none was made.
 *
 * @example lastAnswer({ last_attempt: { status: 503, failure: 'answered 503', cause: 'schedule', probe: null } }) // 'answered 503'
 */
export function lastAnswer(delivery: OutputRow): string {
  const { status, failure, cause, probe } = membersOf(delivery['last_attempt'])
  if (cause === undefined) return ''
  const outcome = typeof failure === 'string' ? failure : `answered ${String(status)}`
  return cause === 'operator' ? `${outcome} (${causeOf({ cause, probe })})` : outcome
}

/** Both are an operator's doing, but only a redelivery is meant to be accepted. */
function causeOf({ cause, probe }: OutputRow): unknown {
  if (typeof probe === 'string') return `probe: ${probe}`
  return cause === 'operator' ? 'redelivery' : cause
}

const ATTEMPTS: readonly Column<OutputRow>[] = [
  ['NO', 'number', 'count'],
  ['AT', 'at'],
  ['CAUSE', causeOf],
  ['STATUS', 'status'],
  ['MS', 'took_ms', 'count'],
  ['FAILURE', 'failure'],
  ['URL', 'url'],
]

/** A delivery with the exact body it sends, its attempts, and what was sent and answered in each. */
export function deliveryText(answer: unknown): string {
  const { body, attempts, last_attempt: _last, ...facts } = membersOf(answer)
  const made = recordsIn(attempts)
  const parts = [
    fields(Object.entries(facts)),
    `body\n  ${escapeLine(String(body ?? ''))}\n`,
    made.length === 0 ? 'no attempts yet\n' : table(made, ATTEMPTS),
    ...made.map(exchangeText),
    ...(isRefused(membersOf(made.filter(isGenuine).at(-1))) ? [`to find out why it is refused: ${RECEIVER}\n`] : []),
  ]
  return parts.join('\n')
}

const RECEIVER = `${PROGRAM} receiver URL --secret-env NAME`

/** Sent as a delivery is to be. */
function isGenuine({ probe, signature_spoilt: isSpoilt }: OutputRow): boolean {
  return typeof probe !== 'string' && isSpoilt !== true
}

function isRefused({ status }: OutputRow): boolean {
  return typeof status === 'number' && status >= 400 && status < 500
}

const PROBES: readonly Column<OutputRow>[] = [
  ['TAMPERING', 'tampering'],
  ['VERDICT', 'verdict'],
  ['STATUS', 'status'],
  ['FAILURE', 'failure'],
]

export function probeText(answer: unknown): string {
  const { delivery_id: id } = membersOf(answer)
  return `${fields([['delivery', id]])}\n${table(rowsOf(answer, 'probes'), PROBES)}\n${probesShow(answer).says}\n`
}

/** What probes show of a receiver, in one line. One that refuses everything refuses forgeries as well, and verifies nothing. */
export function probesShow(answer: unknown): { isSafe: boolean; says: string } {
  const probes = rowsOf(answer, 'probes')
  const taken = probes.filter(({ verdict }) => verdict === 'accepted').map(({ tampering }) => String(tampering))
  const unsafe = (says: string) => ({ isSafe: false, says })
  if (taken.length > 0)
    return unsafe(
      `your receiver accepted a forgery (${escapeLine(taken.join(', '))}): it does not verify the signature`,
    )
  if (probes.some(({ verdict }) => verdict !== 'refused'))
    return unsafe('inconclusive: only a 4xx answer shows that your receiver verifies signatures')
  const genuine = rowsOf(answer, 'attempts').filter(isGenuine)
  if (genuine.some(({ status }) => typeof status === 'number' && status >= 200 && status < 300))
    return { isSafe: true, says: 'your receiver refused every forgery' }
  const what = genuine.some(isRefused)
    ? 'refused the correct delivery too'
    : 'has not accepted the correct delivery yet'
  return unsafe(`inconclusive: your receiver ${what}, so its refusals prove nothing; ${RECEIVER} finds out why`)
}

/** What was sent and answered in an attempt, and what was wrong with it on purpose. */
function exchangeText({ number, signature, answer, signature_spoilt: isSpoilt, probe }: OutputRow): string {
  const spoilt = isSpoilt === true ? ' (wrong on purpose: the delivery profile has wrong_secret)' : ''
  const note = typeof probe === 'string' ? ` (a probe: wrong ${probe})` : spoilt
  const facts = fields([
    ['signature', `${signature}${note}`],
    ['answer', answer],
  ])
  return `attempt ${number}\n${indented(facts)}`
}
