import type { Command } from 'commander'
import type { BodyOf } from '../../operator-api/operations.ts'
import { allRows } from '../operator/all-rows.ts'
import { commandError } from '../operator/command-errors.ts'
import { domainsCsv } from '../operator/domains-csv.ts'
import type { Extras } from '../operator/group.ts'
import { addSubcommand } from '../operator/operator-command.ts'
import { domainText } from '../operator/show/domains.ts'
import { cents, collect } from '../option-parsers.ts'
import { isRecord } from '../output/records.ts'
import { readInput } from '../read-input.ts'
import type { Session } from '../session.ts'

interface DomainOptions {
  priceCents?: number
  floorCents?: number
  currency?: string
  listed?: boolean
  unlisted?: boolean
  topic?: string[]
}

export const EXTRAS: Extras = { show: addChanges }

function addChanges(command: Command, session: Session): void {
  addSubcommand<DomainOptions>(command, session, {
    usage: 'set <name>',
    summary: 'change price, floor or listing of a domain',
    options: (set) =>
      priceOptions(set).option('--listed', 'offer it').option('--unlisted', 'take it out of the listings'),
    run: async (context, [name = ''], options) => {
      const change = domainBody(options)
      if (Object.keys(change).length === 0) throw commandError('domain-unchanged')
      context.show(await context.call('domains.set', { name }, change), domainText)
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
      const { priceCents } = options
      if (priceCents === undefined) throw commandError('domain-without-price')
      const listing = { domain: name, ...domainBody(options), price_cents: priceCents }
      context.show(await context.call('domains.create', {}, listing), domainText)
    },
  })
  addSubcommand(command, session, {
    usage: 'import <file>',
    summary: 'list all domains of a CSV file, or none of them; - reads standard input',
    run: async (context, [file = '']) => {
      const content = { type: 'text/csv', bytes: readInput(file) }
      context.show(await context.client.send('domains.create', { w: context.world }, content), (answer) =>
        importedText(answer, file),
      )
    },
  })
  addSubcommand(command, session, {
    usage: 'export',
    summary: 'the whole inventory as CSV, as domain import takes it',
    run: async (context) => {
      const domains = await allRows(context, 'domains.list', 'domains', { limit: 1_000 })
      context.show({ domains }, () => domainsCsv(domains))
    },
  })
}

function priceOptions(command: Command): Command {
  return command
    .option('--price-cents <n>', 'price in cents', cents)
    .option('--floor-cents <n>', 'floor price in cents', cents)
}

function domainBody({
  priceCents,
  floorCents,
  currency,
  listed,
  unlisted,
  topic,
}: DomainOptions): BodyOf<'domains.set'> & { currency?: string } {
  if (listed && unlisted) throw commandError('exclusive', { one: '--listed', other: '--unlisted' })
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
