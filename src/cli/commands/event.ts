import type { Command } from 'commander'
import { EVENT_TYPES } from '../../contract/event-types.ts'
import { LIMITS } from '../../contract/limits.ts'
import { choiceOption } from '../choice-option.ts'
import { addSubcommand, queryOf, rowsOf } from '../operator-command.ts'
import { integerBetween } from '../option-parsers.ts'
import { column } from '../output/columns.ts'
import { moreLine } from '../output/more-line.ts'
import { table } from '../output/table.ts'
import { subjectOf } from '../output/tail-lines.ts'
import type { Session } from '../session.ts'
import { addEventTail } from '../tails.ts'

interface ListOptions {
  type?: string
  partner?: string
  cursor?: number
  limit?: number
}

const { min, max } = LIMITS.eventsPage

export function configure(command: Command, session: Session): void {
  addSubcommand<ListOptions>(command, session, {
    usage: 'list',
    summary: 'the events of all partners, oldest first',
    options: (list) =>
      list
        .addOption(choiceOption('--type <type>', 'only those of this type', EVENT_TYPES))
        .option('--partner <id>', 'only those of this partner')
        .option('--cursor <n>', 'go on from here', integerBetween(0, 999_999_999_999_999))
        .option('--limit <n>', 'how many', integerBetween(min, max)),
    run: async (context, _args, { type, partner, cursor, limit }) => {
      const query = queryOf({ type, partner_id: partner, cursor: cursor?.toString(), limit: limit?.toString() })
      context.show(await context.askWorld('GET', `/events${query}`), listText)
    },
  })
  addEventTail(command, session)
}

function listText(answer: unknown): string {
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
    ]) + moreLine(answer)
  )
}
