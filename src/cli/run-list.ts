import type { Command } from 'commander'
import { addSubcommand, queryOf } from './operator/operator-command.ts'
import type { Session } from './operator/session.ts'
import { pageLimit } from './option-parsers.ts'
import { moreLine } from './output/more-line.ts'
import { rowsOf } from './output/records.ts'
import { type Column, table } from './output/table.ts'

/** A list of the runs of one sort that have been made. */
interface RunList {
  summary: string
  /** Below `/v1/worlds/{world}`. */
  path: '/settlement-runs' | '/payout-runs'
  /** Member of the answer that holds the rows. */
  name: 'settlement_runs' | 'payout_runs'
  /** What is said where there is none. */
  none: string
  columns: readonly Column<Record<string, unknown>>[]
}

/** Adds `list` to `settle` and `payout`. */
export function addRunList(command: Command, session: Session, { summary, path, name, none, columns }: RunList): void {
  const text = (answer: unknown) => {
    const runs = rowsOf(answer, name)
    return runs.length === 0 ? `${none}\n` : table(runs, columns) + moreLine(answer)
  }
  addSubcommand<{ limit?: number; cursor?: string }>(command, session, {
    usage: 'list',
    summary,
    options: (list) => list.option('--limit <n>', 'how many', pageLimit).option('--cursor <id>', 'go on from here'),
    run: async (context, _args, { limit, cursor }) => {
      const query = queryOf({ limit: limit?.toString(), cursor })
      context.show(await context.askWorld('GET', `${path}${query}`), text)
    },
  })
}
