import type { Command } from 'commander'
import { parseInstant } from '../../clock/instant.ts'
import type { BodyOf } from '../../operator-api/operations.ts'
import { commandError } from '../operator/command-errors.ts'
import { readGapsFile } from '../operator/gaps-file.ts'
import type { Extras } from '../operator/group.ts'
import { addSubcommand, type OperatorContext } from '../operator/operator-command.ts'
import { type ProgressOptions, progressBody, withProgressOptions } from '../operator/progress-options.ts'
import { type RulesOptions, rulesBody, withRulesOptions } from '../operator/rules-options.ts'
import { createdWorld } from '../operator/show/worlds.ts'
import { addSnapshots } from '../operator/world-snapshots.ts'
import { integerBetween } from '../option-parsers.ts'
import { outline } from '../output/outline.ts'
import { isRecord, rowsOf } from '../output/records.ts'
import { fields } from '../output/table.ts'
import { beginTargetFile } from '../run/write-target-file.ts'
import type { Session } from '../session.ts'

interface CreateOptions extends ProgressOptions, RulesOptions {
  seed?: string
  inventory?: number
  clock?: string
  frozen?: boolean
  gaps?: string
  vary?: string
  targetFile?: string
}

export const EXTRAS: Extras = { '': addCreate, fork: addFilesAndSettings }

function addCreate(command: Command, session: Session): void {
  addSubcommand<CreateOptions>(command, session, {
    usage: 'create <name>',
    summary: 'make a world with credentials of its own, and print them',
    ofOneWorld: false,
    options: createOptions,
    run: async (context, [name = ''], { targetFile, ...options }) => {
      const make = () => context.call('worlds.create', {}, { name, ...createBody(options) })
      context.show(await (targetFile === undefined ? make() : madeAsTarget(context, make, targetFile)), createdWorld)
      if (targetFile !== undefined) session.err(`wrote ${targetFile} (mode operator); it holds secrets\n`)
    },
  })
}

function addFilesAndSettings(command: Command, session: Session): void {
  addSnapshots(command, session)
  addProgress(command, session)
  addRules(command, session)
}

async function madeAsTarget(context: OperatorContext, make: () => Promise<unknown>, file: string): Promise<unknown> {
  const begun = beginTargetFile(file)
  try {
    const about = await context.call('sandbox.show', {})
    const made = await make()
    begun.finish({
      apiUrl: String(isRecord(about) ? about['api_url'] : ''),
      operatorUrl: context.client.address.url,
      operatorToken: context.client.address.token ?? undefined,
      world: String(isRecord(made) ? made['world'] : ''),
      credentials: rowsOf(made, 'credentials'),
    })
    return made
  } finally {
    begun.discard()
  }
}

function createOptions(create: Command): Command {
  create
    .option('--seed <text>', 'everything synthetic derives from it')
    .option('--inventory <n>', 'listings made from the seed', integerBetween(0, 10_000_000))
    .option('--clock <iso>', 'where its clock starts (default: now)')
    .option('--frozen', 'its clock stands still until it is moved')
    .option('--gaps <file>', 'choose open points otherwise: a YAML or JSON file of ids and values (see gap list)')
    .option('--vary <seed>', 'draw all open points that --gaps does not name from a seed')
    .option('--target-file <file>', 'write a target file for conform --target, with its secrets')
  return withRulesOptions(withProgressOptions(create))
}

function addProgress(command: Command, session: Session): void {
  addSubcommand<ProgressOptions & { manual?: boolean; world?: string }>(command, session, {
    usage: 'progress [name]',
    summary: 'how orders and settlements go on by themselves: show it, or set it; what is left out stops',
    options: (progress) => withProgressOptions(progress).option('--manual', 'nothing goes on by itself any more'),
    run: async (context, [name], options) => {
      const w = chosenWorld(context, name, options.world)
      const wanted = wantedProgress(options)
      context.show(
        await (wanted ? context.call('progress.set', { w }, wanted) : context.call('progress.show', { w })),
        progressText,
      )
    },
  })
}

function addRules(command: Command, session: Session): void {
  addSubcommand<RulesOptions & { usual?: boolean; world?: string }>(command, session, {
    usage: 'rules [name]',
    summary: "the partner's shares and which orders are held: show it, or set it; what is left out is as usual",
    options: (rules) => withRulesOptions(rules).option('--usual', 'all as in a new world'),
    run: async (context, [name], options) => {
      const w = chosenWorld(context, name, options.world)
      const wanted = wantedRules(options)
      context.show(
        await (wanted ? context.call('rules.set', { w }, wanted) : context.call('rules.show', { w })),
        outline,
      )
    },
  })
}

function wantedRules({ usual, ...options }: RulesOptions & { usual?: boolean }): BodyOf<'rules.set'> | null {
  const wanted = rulesBody(options)
  if (usual && wanted) throw commandError('usual-alone')
  return usual ? {} : wanted
}

/** The world may be named as the others of this group do it, or as all other groups do it. */
function chosenWorld({ world }: OperatorContext, name: string | undefined, flag: string | undefined): string {
  if (name !== undefined && flag !== undefined && name !== flag) {
    throw commandError('world-twice', { name, flag })
  }
  return name ?? world
}

function wantedProgress({ manual, ...options }: ProgressOptions & { manual?: boolean }): BodyOf<'progress.set'> | null {
  const wanted = progressBody(options)
  if (manual && wanted) throw commandError('manual-alone')
  return manual ? {} : wanted
}

function progressText(answer: unknown): string {
  const durations = Object.entries(isRecord(answer) ? answer : {})
  return fields(durations.map(([name, duration]) => [name.replaceAll('_', ' '), duration ?? 'never']))
}

function createBody({
  seed,
  inventory,
  clock,
  frozen,
  gaps,
  vary,
  ...options
}: CreateOptions): BodyOf<'worlds.create'> {
  const progress = progressBody(options)
  const rules = rulesBody(options)
  if (clock !== undefined && parseInstant(clock) === null) {
    throw commandError('not-an-instant', { what: '--clock', text: clock })
  }
  return {
    ...(seed === undefined ? {} : { seed }),
    ...(inventory === undefined ? {} : { inventory }),
    ...(clock === undefined ? {} : { clock }),
    ...(frozen ? { frozen } : {}),
    ...(gaps === undefined ? {} : { gaps: readGapsFile(gaps) }),
    ...(vary === undefined ? {} : { vary }),
    ...(progress ? { progress } : {}),
    ...(rules ? { rules } : {}),
  }
}
