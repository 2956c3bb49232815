import type { Command } from 'commander'
import { EVENT_TYPES } from '../../contract/event-types.ts'
import { LIMITS } from '../../contract/limits.ts'
import { choiceOption } from '../choice-option.ts'
import { addSubcommand, queryOf } from '../operator/operator-command.ts'
import type { Session } from '../operator/session.ts'
import { addEventTail } from '../operator/tails.ts'
import { integerBetween } from '../option-parsers.ts'
import { column } from '../output/columns.ts'
import { moreLine } from '../output/more-line.ts'
import { rowsOf } from '../output/records.ts'
import { table } from '../output/table.ts'
import { subjectOf } from '../output/tail-lines.ts'

interface ListOptions {
  type?: string
  partner?: string
  latest?: boolean
  cursor?: number
  limit?: number
}

const { min, max } = LIMITS.eventsPage

export function configure(command: Command, session: Session): void {
  addSubcommand<ListOptions>(command, session, {
    usage: 'list',
    summary: 'the events of all partners, oldest first; newest first with --latest',
    options: (list) =>
      list
        .addOption(choiceOption('--type <type>', 'only those of this type', EVENT_TYPES))
        .option('--partner <id>', 'only those of this partner')
        .option('--latest', 'newest first')
        .option('--cursor <n>', 'go on from here', integerBetween(0, 999_999_999_999_999))
        .option('--limit <n>', 'how many', integerBetween(min, max)),
    run: async (context, _args, { type, partner, latest, cursor, limit }) => {
      const page = { cursor: cursor?.toString(), limit: limit?.toString() }
      const query = queryOf({ type, partner_id: partner, latest: latest ? 'true' : undefined, ...page })
      context.show(await context.askWorld('GET', `/events${query}`), (answer) => listText(answer, latest === true))
    },
  })
  addEventTail(command, session)
}

function listText(answer: unknown, isLatest: boolean): string {
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
