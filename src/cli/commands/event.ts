import { EVENT_TYPES } from '../../contract/event-types.ts'
import { eventRows } from '../../operator-api/rows/events.ts'
import type { Group } from '../operator/group.ts'
import { subjectOf } from '../operator/show/events.ts'
import { LONGEST_EVENT_TYPE, tailCommand } from '../operator/tail-command.ts'

const TAIL = tailCommand({
  kind: 'event',
  summary: 'follow the events of all partners as they happen',
  filters: [
    ['type', '--type <type>', 'only of this type', EVENT_TYPES],
    ['partner_id', '--partner <id>', 'only of this partner'],
  ],
  hasHistory: true,
  line(event) {
    const about = subjectOf(event)
    return [
      [event['created_at'], 24],
      [event['type'], LONGEST_EVENT_TYPE],
      [event['id'], 20],
      [about['public_id'] ?? about['case_id'], 20],
      [about['domain'], 24],
      [about['status'], 20],
      [event['partner_id'], 0],
    ]
  },
})

export const GROUP: Group = { rows: eventRows, extras: { list: [TAIL] } }
