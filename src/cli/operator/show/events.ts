import { isRecord, membersOf, type OutputRow } from '../../output/records.ts'
import { type ListView, listText } from '../../output/table.ts'

const EVENTS: ListView = {
  list: 'events',
  none: 'no events',
  columns: [
    ['EVENT', 'id'],
    ['TYPE', 'type'],
    ['ABOUT', (event) => subjectOf(event)['public_id'] ?? subjectOf(event)['case_id']],
    ['DOMAIN', (event) => subjectOf(event)['domain']],
    ['STATUS', (event) => subjectOf(event)['status']],
    ['PARTNER', 'partner_id'],
    ['CREATED', 'created_at'],
  ],
}

/** A page of the events. */
export function eventList(answer: unknown, isLatest: boolean, widthCharacters: number | null): string {
  const text = listText(answer, EVENTS, widthCharacters)
  return isLatest ? text.replace('(there are more: --cursor', '(there are more: --latest --cursor') : text
}

/** The order or the case that an event is about, as it was then. */
export function subjectOf({ data }: OutputRow): OutputRow {
  const { order, case: brokerageCase } = membersOf(data)
  return isRecord(order) ? order : membersOf(brokerageCase)
}
