import { isObject } from '../../../contract/is-object.ts'
import { membersOf, type OutputRow } from '../../output/records.ts'
import type { ListView } from '../../output/table.ts'

export const EVENTS: ListView = {
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
  again: ['latest'],
}

/** The order or the case that an event is about, as it was then. */
export function subjectOf({ data }: OutputRow): OutputRow {
  const { order, case: brokerageCase } = membersOf(data)
  return isObject(order) ? order : membersOf(brokerageCase)
}
