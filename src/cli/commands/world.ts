import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { parseInstant } from '../../clock/instant.ts'
import type { OperatorClient, RawContent } from '../../operator-api/client.ts'
import type { BodyOf } from '../../operator-api/operations.ts'
import { SandboxRefusal } from '../../operator-api/refusals.ts'
import { SNAPSHOT } from '../../operator-api/rows/worlds.ts'
import { OWNER_ONLY, PartialFile, readInput, unwritable, writingTo } from '../files.ts'
import { commandError } from '../operator/command-errors.ts'
import { readGapsFile } from '../operator/gaps-file.ts'
import type { Extras } from '../operator/group.ts'
import { type BodyFlags, bodyFrom, withMemberFlags } from '../operator/member-flags.ts'
import type { OperatorCommand, OperatorContext } from '../operator/operator-command.ts'
import { settingCommand } from '../operator/setting-command.ts'
import { createdWorld } from '../operator/show/worlds.ts'
import { targetText } from '../operator/target-file.ts'
import { collect, durationText, integerBetween } from '../option-parsers.ts'
import { outline } from '../output/outline.ts'
import { membersOf, rowsOf } from '../output/records.ts'
import { fields } from '../output/table.ts'

/** All of the price is 10,000 hundredths of a percent. */
const basisPoints = integerBetween(0, 10_000)
const MOST_CENTS = 1_000_000_000_000

const PROGRESS: BodyFlags<'progress.set'> = [
  ['start_after', '--start-after <duration>', 'start transfers by itself, so long after the sale', durationText],
  [
    'complete_after',
    '--complete-after <duration>',
    'complete transfers by itself, so long after their start',
    durationText,
  ],
  ['settle_every', '--settle-every <duration>', 'settle by itself, so long after the run before', durationText],
]

const RULES: BodyFlags<'rules.set'> = [
  [
    'commission.partner_collected_basis_points',
    '--commission-partner-collected <bp>',
    "partner's share of own sales, in basis points",
    basisPoints,
  ],
  [
    'commission.hosted_checkout_basis_points',
    '--commission-hosted-checkout <bp>',
    "partner's share of hosted sales, in basis points",
    basisPoints,
  ],
  [
    'commission.brokerage_basis_points',
    '--commission-brokerage <bp>',
    "partner's share of deals, in basis points",
    basisPoints,
  ],
  [
    'review.price_above_cents',
    '--hold-above <cents>',
    'hold orders with a higher price for manual review',
    integerBetween(0, MOST_CENTS),
  ],
  [
    'review.buyer_countries',
    '--hold-country <code>',
    'hold orders of buyers from there; may be given more than once',
    collect,
  ],
]

const NEW_WORLD: BodyFlags<'worlds.create'> = [
  ['seed', '--seed <text>', 'everything synthetic derives from it'],
  ['inventory', '--inventory <n>', 'listings made from the seed', integerBetween(0, 10_000_000)],
  ['clock', '--clock <iso>', 'where its clock starts (default: now)'],
  ['frozen', '--frozen', 'its clock stands still until it is moved'],
  ['gaps', '--gaps <file>', 'choose open points otherwise: a YAML or JSON file of ids and values (see gap list)'],
  ['vary', '--vary <seed>', 'draw all open points that --gaps does not name from a seed'],
]

interface CreateOptions {
  clock?: string
  gaps?: string
  targetFile?: string
}

const CREATE: OperatorCommand<CreateOptions> = {
  usage: 'world create <name>',
  summary: 'make a world with credentials of its own, and print them',
  ofOneWorld: false,
  options: (create) =>
    withMemberFlags(
      withMemberFlags(create, NEW_WORLD).option(
        '--target-file <file>',
        'write a target file for conform --target, with its secrets',
      ),
      [...PROGRESS, ...RULES],
    ),
  async run(context, [name = ''], options) {
    const { targetFile } = options
    const make = () => context.call('worlds.create', {}, { name, ...createBody(options) })
    context.show(await (targetFile === undefined ? make() : madeAsTarget(context, make, targetFile)), createdWorld)
    if (targetFile !== undefined) context.session.err(`wrote ${targetFile} (mode operator); it holds secrets\n`)
  },
}

function createBody(options: CreateOptions): BodyOf<'worlds.create'> {
  const progress = bodyFrom<'progress.set'>(PROGRESS, options)
  const rules = bodyFrom<'rules.set'>(RULES, options)
  const { clock, gaps } = options
  if (clock !== undefined && parseInstant(clock) === null) {
    throw commandError('not-an-instant', { what: '--clock', text: clock })
  }
  return {
    ...bodyFrom<'worlds.create'>(NEW_WORLD, options),
    ...(gaps !== undefined && { gaps: readGapsFile(gaps) }),
    ...(progress && { progress }),
    ...(rules && { rules }),
  }
}

async function madeAsTarget(context: OperatorContext, make: () => Promise<unknown>, file: string): Promise<unknown> {
  // Begun before the world is made, whose secrets are shown once.
  const begun = writingTo(file, '--target-file', () => new PartialFile(file, OWNER_ONLY))
  try {
    const about = membersOf(await context.call('sandbox.show', {}))
    const made = await make()
    const { url: operatorUrl, token } = context.client.address
    const text = targetText({
      ...{ apiUrl: String(about['api_url']), operatorUrl, operatorToken: token ?? undefined },
      world: String(membersOf(made)['world']),
      credentials: rowsOf(made, 'credentials'),
    })
    writingTo(file, '--target-file', () => begun.finish(text))
    return made
  } finally {
    begun.discard()
  }
}

const SAVES = [
  { verb: 'snapshot', summary: 'save all of a world as one SQLite file' },
  { verb: 'export', summary: 'the same as snapshot, for another machine' },
].map(
  ({ verb, summary }): OperatorCommand => ({
    usage: `world ${verb} <name> <file>`,
    summary,
    ofOneWorld: false,
    async run({ client, show }, [name = '', file = '']) {
      if (file === '-') throw commandError('snapshot-to-terminal')
      const bytes = await saveSnapshot(client, name, file)
      show({ world: name, file, bytes }, () => `saved ${name} to ${file} (${bytes} bytes); it holds secrets\n`)
    },
  }),
)

/** @returns how many bytes a world's snapshot has. @throws SandboxRefusal for any answer but 2xx; CliError if it cannot be written. */
async function saveSnapshot(client: OperatorClient, world: string, file: string): Promise<number> {
  const incoming = await client.open('snapshots.save', { w: world })
  const partial = writingTo(file, null, () => new PartialFile(file, OWNER_ONLY))
  const saved = createWriteStream(partial.path)
  try {
    await pipeline(incoming, saved)
    partial.finish()
  } catch (error) {
    partial.discard()
    throw unwritable(file, null, error)
  }
  return saved.bytesWritten
}

const RESTORE: OperatorCommand = {
  usage: 'world restore <name> <file>',
  summary: 'take a world to what a snapshot says; its name and keys stay',
  ofOneWorld: false,
  async run({ client, show }, [name = '', file = '']) {
    const restored = await client.send('snapshots.restore', { w: name }, snapshotIn(file))
    show(restored, (world) => `restored ${name} from ${file}: it is ${membersOf(world)['now'] ?? '?'} there\n`)
  },
}

const IMPORT: OperatorCommand = {
  usage: 'world import <file> [name]',
  summary: 'make a world of a snapshot, under its own name unless another is given; print its credentials',
  ofOneWorld: false,
  async run({ client, show }, [file = '', name]) {
    const query = name === undefined ? {} : { name }
    const imported = await client.send('worlds.import', {}, snapshotIn(file), query).catch((error: unknown) => {
      if (!(error instanceof SandboxRefusal) || error.status !== 409) throw error
      throw commandError('import-name-taken', { detail: error.detail, file })
    })
    show(imported, createdWorld)
  },
}

function snapshotIn(file: string): RawContent {
  return { type: SNAPSHOT.type, bytes: readInput(file) }
}

const SET_PROGRESS = settingCommand<'progress.set'>({
  usage: 'world progress [name]',
  summary: 'how orders and settlements go on by themselves: show it, or set it; what is left out stops',
  flags: PROGRESS,
  usual: ['--manual', 'nothing goes on by itself any more', 'manual-alone'],
  ask: (call, w, body) => (body ? call('progress.set', { w }, body) : call('progress.show', { w })),
  text: progressText,
})

function progressText(answer: unknown): string {
  const durations = Object.entries(membersOf(answer))
  return fields(durations.map(([name, duration]) => [name.replaceAll('_', ' '), duration ?? 'never']))
}

const SET_RULES = settingCommand<'rules.set'>({
  usage: 'world rules [name]',
  summary: "the partner's shares and which orders are held: show it, or set it; what is left out is as usual",
  flags: RULES,
  usual: ['--usual', 'all as in a new world', 'usual-alone'],
  ask: (call, w, body) => (body ? call('rules.set', { w }, body) : call('rules.show', { w })),
  text: outline,
})

export const EXTRAS: Extras = { '': [CREATE], fork: [...SAVES, RESTORE, IMPORT, SET_PROGRESS, SET_RULES] }
