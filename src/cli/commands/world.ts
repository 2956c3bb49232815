import type { Command } from 'commander'
import { parseInstant } from '../../clock/instant.ts'
import { isRecord } from '../operator-client.ts'
import { addSubcommand, rowsOf } from '../operator-command.ts'
import { integerBetween } from '../option-parsers.ts'
import { outline } from '../output/outline.ts'
import { fields, table } from '../output/table.ts'
import { CliError, type Session } from '../session.ts'

interface CreateOptions {
  seed?: string
  inventory?: number
  clock?: string
  frozen?: boolean
}

export function configure(command: Command, session: Session): void {
  addSubcommand<CreateOptions>(command, session, {
    usage: 'create <name>',
    summary: 'make a world with credentials of its own, and print them',
    options: (create) =>
      create
        .option('--seed <text>', 'everything synthetic derives from it')
        .option('--inventory <n>', 'listings made from the seed', integerBetween(0, 10_000_000))
        .option('--clock <iso>', 'where its clock starts (default: now)')
        .option('--frozen', 'its clock stands still until it is moved'),
    run: async (context, [name], options) => {
      context.show(await context.ask('POST', '/worlds', { name, ...createBody(options) }), createdText)
    },
  })
  addSubcommand(command, session, {
    usage: 'list',
    summary: 'all worlds',
    run: async (context) => context.show(await context.ask('GET', '/worlds'), listText),
  })
  addSubcommand(command, session, {
    usage: 'show <name>',
    summary: 'one world',
    run: async (context, [name = '']) => context.show(await context.ask('GET', worldPath(name)), outline),
  })
  addSubcommand(command, session, {
    usage: 'delete <name>',
    summary: 'end a world and delete all it holds',
    run: async (context, [name = '']) =>
      context.show(await context.ask('DELETE', worldPath(name)), () => `deleted ${name}\n`),
  })
  addSubcommand(command, session, {
    usage: 'reset <name>',
    summary: 'take a world back to its seed; its credentials stay',
    run: async (context, [name = '']) =>
      context.show(await context.ask('POST', `${worldPath(name)}/reset`, {}), () => `reset ${name}\n`),
  })
}

function createBody({ seed, inventory, clock, frozen }: CreateOptions): object {
  if (clock !== undefined && parseInstant(clock) === null) {
    throw new CliError(`--clock must be ISO 8601 with a zone, e.g. 2026-01-31T12:00:00Z, not ${JSON.stringify(clock)}`)
  }
  return {
    ...(seed === undefined ? {} : { seed }),
    ...(inventory === undefined ? {} : { inventory }),
    ...(clock === undefined ? {} : { clock }),
    ...(frozen ? { frozen } : {}),
  }
}

function worldPath(name: string): string {
  return `/worlds/${encodeURIComponent(name)}`
}

/** Secrets are shown here and never again: this is where somebody asked for them. */
function createdText(answer: unknown): string {
  const world = isRecord(answer) ? answer['world'] : undefined
  const credentials = rowsOf(answer, 'credentials')
  return `${fields([['world', world]])}\n${table(credentials, [
    { heading: 'CREDENTIAL', cell: (row) => row['name'] },
    { heading: 'KEY ID', cell: (row) => row['key_id'] },
    { heading: 'SECRET', cell: (row) => row['secret'] },
    { heading: 'SCOPES', cell: (row) => row['scopes'] },
  ])}`
}

function listText(answer: unknown): string {
  const rows = rowsOf(answer, 'worlds')
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((name) =>
    rows.some((row) => typeof row[name] !== 'object'),
  )
  return table(
    rows,
    names.map((name) => ({
      heading: name.toUpperCase().replaceAll('_', ' '),
      cell: (row: Record<string, unknown>) => row[name],
    })),
  )
}
