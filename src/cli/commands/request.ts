import type { Command } from 'commander'
import { addSubcommand, queryOf, rowsOf } from '../operator-command.ts'
import { integerBetween } from '../option-parsers.ts'
import { moreLine } from '../output/more-line.ts'
import { outline } from '../output/outline.ts'
import { table } from '../output/table.ts'
import type { Session } from '../session.ts'

interface ListOptions {
  status?: number
  code?: string
  limit?: number
  cursor?: number
  endpoint?: string
  key?: string
}

export function configure(command: Command, session: Session): void {
  addSubcommand<ListOptions>(command, session, {
    usage: 'list',
    summary: 'the latest calls, newest first',
    options: (list) =>
      list
        .option('--status <n>', 'only answers with this status', integerBetween(100, 599))
        .option('--code <code>', 'only refusals with this code')
        .option('--endpoint <id>', 'only calls of this endpoint, e.g. orders.create')
        .option('--key <id>', 'only calls with this key id')
        .option('--limit <n>', 'how many', integerBetween(1, 1000))
        .option('--cursor <n>', 'go on from here', integerBetween(1, 1e15)),
    run: async (context, _args, options) => {
      const query = listQuery(options)
      context.show(await context.askWorld('GET', `/requests${query}`), listText)
    },
  })
  addSubcommand(command, session, {
    usage: 'show <id>',
    summary: 'one call: what was sent, what was checked, what was answered',
    run: async (context, [id = '']) => {
      context.show(await context.askWorld('GET', `/requests/${encodeURIComponent(id)}`), outline)
    },
  })
}

function listQuery({ status, code, endpoint, key, limit, cursor }: ListOptions): string {
  const numbers = { status: status?.toString(), limit: limit?.toString(), cursor: cursor?.toString() }
  return queryOf({ ...numbers, code, endpoint, key_id: key })
}

function listText(answer: unknown): string {
  const requests = rowsOf(answer, 'requests')
  if (requests.length === 0) return 'no requests\n'
  return rows(requests) + moreLine(answer)
}

function rows(requests: Record<string, unknown>[]): string {
  return table(requests, [
    { heading: 'REQUEST', cell: (row) => row['request_id'] },
    { heading: 'AT', cell: (row) => row['at'] },
    { heading: 'METHOD', cell: (row) => row['method'] },
    { heading: 'TARGET', cell: (row) => row['target'] },
    { heading: 'STATUS', cell: (row) => row['status'] },
    { heading: 'CODE', cell: (row) => row['code'] },
  ])
}
