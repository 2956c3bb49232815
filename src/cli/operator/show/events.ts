import { column, moreLine } from '../../output/columns.ts'
import { rowsOf } from '../../output/records.ts'
import { table } from '../../output/table.ts'
import { subjectOf } from './tail-lines.ts'

/** A page of the events. */
export function eventList(answer: unknown, isLatest: boolean): string {
  const events = rowsOf(answer, 'events')
  if (events.length === 0) return 'no events\n'
  return (
    table(events, [
      column('EVENT', 'id'),
      column('TYPE', 'type'),
      { heading: 'ABOUT', cell: (row) => subjectOf(row)['public_id'] ?? subjectOf(row)['case_id'] },
      { heading: 'DOMAIN', cell: (row) => subjectOf(row)['domain'] },
      { heading: 'STATUS', cell: (row) => subjectOf(row)['status'] },
      column('PARTNER', 'partner_id'),
      column('CREATED', 'created_at'),
    ]) + (isLatest ? moreLine(answer).replace('--cursor', '--latest --cursor') : moreLine(answer))
  )
}
