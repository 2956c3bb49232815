import { counted } from '../../contract/words.ts'
import { allRows } from '../../operator-api/all-rows.ts'
import type { BodyOf } from '../../operator-api/operations.ts'
import { SandboxRefusal } from '../../operator-api/refusals.ts'
import { domainRows, type Listing } from '../../operator-api/rows/domains.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import { readInput } from '../files.ts'
import { commandError } from '../operator/command-errors.ts'
import type { Group } from '../operator/group.ts'
import { bodyFrom, flagsFor, withMemberFlags } from '../operator/member-flags.ts'
import { aboutFile, type OperatorCommand } from '../operator/operator-command.ts'
import { domainText } from '../operator/show/domains.ts'
import { membersOf } from '../output/records.ts'
import { CliError } from '../session.ts'

const PRICES = [
  ['price_cents', '--price-cents <n>', 'price in cents'],
  ['floor_price_cents', '--floor-cents <n>', 'floor price in cents'],
] as const

const CHANGED_DOMAIN = flagsFor(domainRows['domains.set'], PRICES)

const NEW_DOMAIN = flagsFor(domainRows['domains.create'], [
  ...PRICES,
  ['currency', '--currency <code>', 'currency of its price'],
  ['topics', '--topic <word>', 'topic of the domain; may be repeated'],
])

interface ListedOptions {
  listed?: boolean
  unlisted?: boolean
}

const SET: OperatorCommand<ListedOptions> = {
  usage: 'domain set <name>',
  summary: 'change price, floor or listing of a domain',
  options: (set) =>
    withMemberFlags(set, CHANGED_DOMAIN)
      .option('--listed', 'offer it for sale')
      .option('--unlisted', 'stop offering it'),
  async run(context, [name = ''], options) {
    const change = { ...bodyFrom<'domains.set'>(CHANGED_DOMAIN, options), ...listedBody(options) }
    if (Object.keys(change).length === 0) throw commandError('domain-unchanged')
    context.show(await context.call('domains.set', { name }, change), domainText)
  },
}

function listedBody({ listed, unlisted }: ListedOptions): BodyOf<'domains.set'> {
  if (listed && unlisted) throw commandError('exclusive', { one: '--listed', other: '--unlisted' })
  return listed || unlisted ? { listed: listed ?? false } : {}
}

const ADD: OperatorCommand = {
  usage: 'domain add <name>',
  summary: 'list a new domain',
  options: (add) => withMemberFlags(add, NEW_DOMAIN),
  async run(context, [domain = ''], options) {
    const listing = bodyFrom<'domains.create'>(NEW_DOMAIN, options)
    if (listing?.price_cents === undefined) throw commandError('domain-without-price')
    context.show(await context.call('domains.create', {}, { ...listing, domain }), domainText)
  },
}

const IMPORT: OperatorCommand = {
  usage: 'domain import <file>',
  summary: 'add all domains of a CSV file, or none if one is wrong; - reads standard input',
  async run({ client, world, show }, [file = '']) {
    const content = { type: 'text/csv', bytes: readInput(file) }
    const from = file === '-' ? 'standard input' : file
    const imported = await client.send('domains.create', { w: world }, content).catch((error: unknown) => {
      if (!(error instanceof SandboxRefusal) || error.status !== 409) throw aboutFile(error, from)
      const advice = 'domain import adds new domains only, "domain set" changes one'
      throw new CliError(`${from}: ${error.detail}; ${advice}`, EXIT_CODES.refused, error.code)
    })
    show(imported, (answer) => {
      const { added = 0 } = membersOf(answer)
      return `added ${counted(Number(added), 'domain')} from ${from}\n`
    })
  },
}

const EXPORT: OperatorCommand = {
  usage: 'domain export',
  summary: 'print all domains as CSV for domain import',
  async run({ client, world, show }) {
    const domains = await allRows(client, world, 'domains.list', { limit: 1_000 })
    show({ domains }, () => domainsCsv(domains))
  },
}

const CSV_COLUMNS = [
  'domain',
  'price_cents',
  'floor_price_cents',
  'currency',
  'listed',
  'live_site',
  'topics',
] as const satisfies readonly (keyof Listing)[]

/** Domains as CSV (RFC 4180), with a first line that names the columns. */
function domainsCsv(domains: readonly Listing[]): string {
  const rows = [CSV_COLUMNS, ...domains.map((domain) => CSV_COLUMNS.map((name) => domain[name]))]
  return rows.map((cells) => `${cells.map(csvCell).join(',')}\r\n`).join('')
}

function csvCell(value: unknown): string {
  const text = Array.isArray(value) ? value.join(';') : String(value ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

export const GROUP: Group = { rows: domainRows, extras: { show: [SET, ADD, IMPORT, EXPORT] } }
