import type { Command } from 'commander'
import { addSubcommand, queryOf, rowsOf } from '../operator-command.ts'
import { cents, collect, integerBetween } from '../option-parsers.ts'
import { moreLine } from '../output/more-line.ts'
import { outline } from '../output/outline.ts'
import { money, table } from '../output/table.ts'
import { CliError, type Session } from '../session.ts'

interface DomainOptions {
  priceCents?: number
  floorCents?: number
  currency?: string
  listed?: boolean
  unlisted?: boolean
  topic?: string[]
}

export function configure(command: Command, session: Session): void {
  addSubcommand<{ query?: string; limit?: number; cursor?: string }>(command, session, {
    usage: 'list',
    summary: 'the inventory',
    options: (list) =>
      list
        .option('--limit <n>', 'how many', integerBetween(1, 1000))
        .option('--cursor <name>', 'go on after this domain')
        .option('--query <text>', 'only those that match'),
    run: async (context, _args, { query: q, limit, cursor }) => {
      const query = queryOf({ q, limit: limit?.toString(), cursor })
      context.show(await context.askWorld('GET', `/domains${query}`), listText)
    },
  })
  addSubcommand(command, session, {
    usage: 'show <name>',
    summary: 'one domain',
    run: async (context, [name = '']) => context.show(await context.askWorld('GET', domainPath(name)), outline),
  })
  addSubcommand<DomainOptions>(command, session, {
    usage: 'set <name>',
    summary: 'change price, floor or listing of a domain',
    options: (set) =>
      priceOptions(set).option('--listed', 'offer it').option('--unlisted', 'take it out of the listings'),
    run: async (context, [name = ''], options) => {
      const change = domainBody(options)
      if (Object.keys(change).length === 0)
        throw new CliError('say what to change: --price-cents, --floor-cents, --listed or --unlisted')
      context.show(await context.askWorld('PATCH', domainPath(name), change), outline)
    },
  })
  addSubcommand<DomainOptions>(command, session, {
    usage: 'add <name>',
    summary: 'list a new domain',
    options: (add) =>
      priceOptions(add)
        .option('--currency <code>', 'currency of its price')
        .option('--topic <word>', 'what it is about; may be given more than once', collect),
    run: async (context, [name = ''], options) => {
      if (options.priceCents === undefined) throw new CliError('--price-cents is missing: what the domain costs')
      context.show(await context.askWorld('POST', '/domains', { domain: name, ...domainBody(options) }), outline)
    },
  })
  addSubcommand(command, session, {
    usage: 'remove <name>',
    summary: 'take a domain out of the inventory for good',
    run: async (context, [name = '']) =>
      context.show(await context.askWorld('DELETE', domainPath(name)), () => `removed ${name}\n`),
  })
}

function priceOptions(command: Command): Command {
  return command
    .option('--price-cents <n>', 'price in cents', cents)
    .option('--floor-cents <n>', 'floor price in cents', cents)
}

function domainBody({ priceCents, floorCents, currency, listed, unlisted, topic }: DomainOptions): object {
  if (listed && unlisted) throw new CliError('--listed and --unlisted exclude each other')
  return {
    ...(priceCents === undefined ? {} : { price_cents: priceCents }),
    ...(floorCents === undefined ? {} : { floor_price_cents: floorCents }),
    ...(currency === undefined ? {} : { currency }),
    ...(listed || unlisted ? { listed: listed ?? false } : {}),
    ...(topic === undefined ? {} : { topics: topic }),
  }
}

function domainPath(name: string): string {
  return `/domains/${encodeURIComponent(name)}`
}

function listText(answer: unknown): string {
  const domains = rowsOf(answer, 'domains')
  if (domains.length === 0) return 'no domains\n'
  return (
    table(domains, [
      { heading: 'DOMAIN', cell: (row) => row['domain'] },
      { heading: 'PRICE', cell: (row) => money(row['price_cents'], row['currency']), align: 'right' },
      { heading: 'FLOOR', cell: (row) => money(row['floor_price_cents'], row['currency']), align: 'right' },
      { heading: 'LISTED', cell: (row) => (row['listed'] ? 'yes' : 'no') },
      { heading: 'TOPICS', cell: (row) => row['topics'] },
    ]) + moreLine(answer)
  )
}
