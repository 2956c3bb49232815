import type { Command } from 'commander'
import { allRows } from '../operator/all-rows.ts'
import { domainsCsv } from '../operator/domains-csv.ts'
import { addSubcommand, queryOf } from '../operator/operator-command.ts'
import { CliError, type Session } from '../operator/session.ts'
import { cents, collect, integerBetween } from '../option-parsers.ts'
import { domainList, domainText } from '../output/domains.ts'
import { isRecord } from '../output/records.ts'
import { readInput } from '../read-input.ts'

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
    summary: 'the inventory, and what of it is sold or reserved',
    options: (list) =>
      list
        .option('--limit <n>', 'how many', integerBetween(1, 1000))
        .option('--cursor <name>', 'go on after this domain')
        .option('--query <text>', 'only those that match'),
    run: async (context, _args, { query: q, limit, cursor }) => {
      const query = queryOf({ q, limit: limit?.toString(), cursor })
      context.show(await context.askWorld('GET', `/domains${query}`), domainList)
    },
  })
  addSubcommand(command, session, {
    usage: 'show <name>',
    summary: 'one domain, and by which order it is sold or until when it is reserved',
    run: async (context, [name = '']) => context.show(await context.askWorld('GET', domainPath(name)), domainText),
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
      context.show(await context.askWorld('PATCH', domainPath(name), change), domainText)
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
      context.show(await context.askWorld('POST', '/domains', { domain: name, ...domainBody(options) }), domainText)
    },
  })
  addSubcommand(command, session, {
    usage: 'import <file>',
    summary: 'list all domains of a CSV file, or none of them; - reads standard input',
    run: async (context, [file = '']) => {
      const content = { type: 'text/csv', bytes: readInput(file) }
      const path = `/v1/worlds/${encodeURIComponent(context.world)}/domains`
      context.show(await context.client.send('POST', path, content), (answer) => importedText(answer, file))
    },
  })
  addSubcommand(command, session, {
    usage: 'export',
    summary: 'the whole inventory as CSV, as domain import takes it',
    run: async (context) => {
      const domains = await allRows(context, { path: '/domains', name: 'domains', limit: 1_000 })
      context.show({ domains }, () => domainsCsv(domains))
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

function importedText(answer: unknown, file: string): string {
  const added = isRecord(answer) ? answer['added'] : 0
  return `added ${added} ${added === 1 ? 'domain' : 'domains'} from ${file === '-' ? 'standard input' : file}\n`
}

function domainPath(name: string): string {
  return `/domains/${encodeURIComponent(name)}`
}
