import { createWriteStream, existsSync, statSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { OperatorAddress, OperatorClient, RawContent } from '../../operator-api/client.ts'
import type { BodyOf } from '../../operator-api/operations.ts'
import { SandboxRefusal } from '../../operator-api/refusals.ts'
import { SNAPSHOT, settingRows, snapshotRows, worldRows } from '../../operator-api/rows/worlds.ts'
import { OWNER_ONLY, PartialFile, readInput, readStart, unwritable, writingTo } from '../files.ts'
import { commandError } from '../operator/command-errors.ts'
import type { Group } from '../operator/group.ts'
import { bodyFrom, flagsFor, settingCommand, withMemberFlags } from '../operator/member-flags.ts'
import { aboutFile, type OperatorCommand, type OperatorContext } from '../operator/operator-command.ts'
import { createdWorld } from '../operator/show/worlds.ts'
import { durationText } from '../option-parsers.ts'
import { outline } from '../output/outline.ts'
import { membersOf, rowsOf } from '../output/records.ts'
import { fields } from '../output/table.ts'

const PROGRESS = flagsFor(settingRows['progress.set'], [
  ['start_after', '--start-after <duration>', 'start transfers automatically, this long after the sale', durationText],
  [
    'complete_after',
    '--complete-after <duration>',
    'complete transfers automatically, this long after their start',
    durationText,
  ],
  ['settle_every', '--settle-every <duration>', 'settle automatically, this long after the previous run', durationText],
])

const RULES = flagsFor(settingRows['rules.set'], [
  [
    'commission.partner_collected_basis_points',
    '--commission-partner-collected <bp>',
    "partner's share of partner-collected sales, in basis points",
  ],
  [
    'commission.hosted_checkout_basis_points',
    '--commission-hosted-checkout <bp>',
    "partner's share of hosted sales, in basis points",
  ],
  ['commission.brokerage_basis_points', '--commission-brokerage <bp>', "partner's share of deals, in basis points"],
  ['review.price_above_cents', '--hold-above <cents>', 'hold orders above this price for manual review'],
  ['review.buyer_countries', '--hold-country <code>', 'hold orders of buyers from this country; may be repeated'],
])

const NEW_WORLD = flagsFor(worldRows['worlds.create'], [
  ['seed', '--seed <text>', 'seed of all generated data'],
  ['inventory', '--inventory <n>', 'number of generated listings'],
  ['clock', '--clock <iso>', 'start time of its clock (default: now)'],
  ['frozen', '--frozen', 'stop its clock until you move it'],
  ['gaps', '--gaps <file>', 'choices for open points: a YAML or JSON file of ids and values (see gap list)'],
  ['vary', '--vary <seed>', 'draw the other open points at random from this seed'],
  ['hints', '--hints', 'answer refused calls with a hint: why, and the command that shows more'],
])

interface CreateOptions {
  gaps?: string
  targetFile?: string
}

const CREATE: OperatorCommand<CreateOptions> = {
  usage: 'world create <name>',
  summary: 'create a world with its own credentials, and print them',
  ofOneWorld: false,
  options: (create) =>
    withMemberFlags(
      withMemberFlags(create, NEW_WORLD).option(
        '--target-file <file>',
        'write a new target file for conform --target; it contains secrets',
      ),
      [...PROGRESS, ...RULES],
    ),
  async run(context, [name = ''], options) {
    const { targetFile } = options
    const make = async () => context.call('worlds.create', {}, { name, ...(await createBody(options)) })
    context.show(await (targetFile === undefined ? make() : madeAsTarget(context, make, targetFile)), createdWorld)
    if (targetFile !== undefined) context.session.err(`wrote ${targetFile} (mode operator); it holds secrets\n`)
  },
}

async function createBody(options: CreateOptions): Promise<BodyOf<'worlds.create'>> {
  const progress = bodyFrom<'progress.set'>(PROGRESS, options)
  const rules = bodyFrom<'rules.set'>(RULES, options)
  const { gaps } = options
  return {
    ...bodyFrom<'worlds.create'>(NEW_WORLD, options),
    // The reader of YAML takes longer to load than all of the rest.
    ...(gaps !== undefined && { gaps: (await import('../operator/gaps-file.ts')).readGapsFile(gaps) }),
    ...(progress && { progress }),
    ...(rules && { rules }),
  }
}

/** Creates a world and writes its target file, which is begun before the world is made: its secrets are shown once. */
async function madeAsTarget(context: OperatorContext, make: () => Promise<unknown>, file: string): Promise<unknown> {
  if (existsSync(file) && statSync(file).size > 0) throw commandError('target-file-there', { file })
  const begun = writingTo(file, '--target-file', () => new PartialFile(file, OWNER_ONLY))
  try {
    const { api_url: apiUrl } = membersOf(await context.call('sandbox.show', {}))
    const made = await make()
    const text = targetText(String(apiUrl), made, context.client.address)
    writingTo(file, '--target-file', () => begun.finish(text))
    return made
  } finally {
    begun.discard()
  }
}

/** More than the scenarios need; a sandbox has no scruples about what is recorded in it. */
const BUDGET = { orders: 10_000, quotes: 10_000, requests: 1_000_000 }

/** A target file for `conform --target`. */
function targetText(apiUrl: string, made: unknown, { url, token }: OperatorAddress): string {
  const operator = { url, ...(token && { token }), world: String(membersOf(made)['world']) }
  // A revoked credential is refused by design: to the runner it would be one that does not work.
  const working = rowsOf(made, 'credentials').filter(({ name }) => name !== 'revoked')
  const entries = working.map(({ name, key_id, secret, scopes, partner_id, affiliate, merchant_of_record }) =>
    JSON.stringify({ name, key_id, secret, scopes, partner: partner_id, affiliate, merchant_of_record }),
  )
  return [
    '# Made by "world create"; it holds secrets.',
    `url: ${JSON.stringify(apiUrl)}`,
    'mode: operator',
    `budget: ${JSON.stringify(BUDGET)}`,
    `operator: ${JSON.stringify(operator)}`,
    'credentials:',
    ...entries.map((entry) => `  - ${entry}`),
    '',
  ].join('\n')
}

const SAVES = [
  { verb: 'snapshot', summary: 'save a world as one SQLite file' },
  { verb: 'export', summary: 'save a world for another machine (same as snapshot)' },
].map(
  ({ verb, summary }): OperatorCommand => ({
    usage: `world ${verb} <name> <file>`,
    summary,
    ofOneWorld: false,
    async run({ client, show }, [name = '', file = '']) {
      if (file === '-') throw commandError('snapshot-to-terminal')
      if (!mayReplace(file)) throw commandError('snapshot-over-other', { file })
      const replaced = existsSync(file) && statSync(file).size > 0
      const bytes = await saveSnapshot(client, name, file)
      const place = replaced ? ', in place of an earlier snapshot' : ''
      show({ world: name, file, bytes, ...(replaced && { replaced }) }, () => {
        return `saved ${name} to ${file} (${bytes} bytes)${place}; it holds secrets\n`
      })
    },
  }),
)

/** What each file of SQLite begins with. */
const SQLITE_FORMAT = 'SQLite format 3\0'

/** A snapshot takes the place of an earlier one, and of nothing else. */
function mayReplace(file: string): boolean {
  if (!existsSync(file) || !statSync(file).isFile() || statSync(file).size === 0) return true
  return readStart(file, SQLITE_FORMAT.length) === SQLITE_FORMAT
}

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

const SNAPSHOT_NEEDED = '; give a file of "world snapshot" or "world export"'

const RESTORE: OperatorCommand = {
  usage: 'world restore <name> <file>',
  summary: 'restore a world from a snapshot; its name and keys stay',
  ofOneWorld: false,
  async run({ client, show }, [name = '', file = '']) {
    const restored = await client.send('snapshots.restore', { w: name }, snapshotIn(file)).catch((error: unknown) => {
      throw aboutFile(error, file, SNAPSHOT_NEEDED)
    })
    show(restored, (world) => `restored ${name} from ${file}; its time is ${membersOf(world)['now'] ?? '?'}\n`)
  },
}

const IMPORT: OperatorCommand = {
  usage: 'world import <file> [name]',
  summary: 'create a world from a snapshot, under its own name or another, and print its credentials',
  ofOneWorld: false,
  async run({ client, show }, [file = '', name]) {
    const query = name === undefined ? {} : { name }
    const imported = await client.send('worlds.import', {}, snapshotIn(file), query).catch((error: unknown) => {
      if (!(error instanceof SandboxRefusal) || error.status !== 409) throw aboutFile(error, file, SNAPSHOT_NEEDED)
      throw commandError('import-name-taken', { detail: error.detail, file })
    })
    show(imported, createdWorld)
  },
}

function snapshotIn(file: string): RawContent {
  return { type: SNAPSHOT.type, bytes: readInput(file) }
}

const SET_PROGRESS = settingCommand({
  of: 'progress',
  usage: 'world progress [name]',
  summary: 'show or set automatic steps of orders and settlements; an omitted one is turned off',
  flags: PROGRESS,
  usual: ['--manual', 'turn all automatic steps off', 'manual-alone'],
  text: progressText,
})

function progressText(answer: unknown): string {
  const durations = Object.entries(membersOf(answer))
  return fields(durations.map(([name, duration]) => [name.replaceAll('_', ' '), duration ?? 'never']))
}

const SET_RULES = settingCommand({
  of: 'rules',
  usage: 'world rules [name]',
  summary: "show or set the partner's shares and which orders are held; omitted options use their defaults",
  flags: RULES,
  usual: ['--usual', 'reset to the defaults of a new world', 'usual-alone'],
  text: outline,
})

const SET_HINTS = settingCommand({
  of: 'hints',
  usage: 'world hints [name]',
  summary: 'show or set whether refused calls are answered with a hint',
  flags: [['hints', '--on', 'give hints: why a call was refused, and the command that shows more']],
  usual: ['--off', 'give none, as in a new world', 'hints-off-alone'],
  text: (answer) => fields([['hints', membersOf(answer)['hints'] === true ? 'on' : 'off']]),
})

export const GROUP: Group = {
  rows: { ...worldRows, ...snapshotRows },
  extras: { '': [CREATE], fork: [...SAVES, RESTORE, IMPORT, SET_PROGRESS, SET_RULES, SET_HINTS] },
}
