import { formatInstant, parseInstant } from '../../clock/instant.ts'
import { readGapChoices, variedGaps } from '../../contract/choose-gaps.ts'
import { changedGaps, type GapChoices } from '../../contract/gaps.ts'
import { randomOpaque } from '../../sandbox/kernel/chance.ts'
import { handedCredentials, randomKeys } from '../../sandbox/kernel/credentials.ts'
import { refuseDuringAdvance } from '../../sandbox/worlds/advance.ts'
import type { Environment } from '../../sandbox/worlds/environment.ts'
import { WorldNameError } from '../../sandbox/worlds/world-registry.ts'
import { MAIN_WORLD, WorldGoneError } from '../../sandbox/worlds/worlds.ts'
import { problem } from '../problem.ts'
import { created, DONE, type HandlersOf, type Operator, ok } from '../route.ts'
import { presentCredential } from './credentials.ts'
import { presentProgress, presentRules, readCommission, readProgress, readReview } from './settings.ts'

export const worldHandlers: Omit<HandlersOf<'worlds'>, 'worlds.fork' | 'worlds.import'> = {
  async 'worlds.create'({ operator, body }) {
    const { newWorldDefaults: usual } = operator
    const world = await createNamed(operator, body.name ?? newName('world'), {
      seed: body.seed ?? usual.seed,
      inventory: body.inventory ?? usual.inventory,
      clockMs: body.clock === undefined ? null : startInstant(body.clock),
      frozen: body.frozen ?? false,
      rateLimit: usual.rateLimit,
      progress: readProgress(body.progress ?? 'manual'),
      review: readReview(body.rules),
      commission: readCommission(body.rules),
      gaps: newWorldGaps(body, usual.gaps),
    })
    return created({ ...presentWorld(world), credentials: handedCredentials(world) })
  },
  'worlds.list': ({ operator }) => ok({ worlds: operator.worlds.list().map(presentWorld) }),
  'worlds.show': ({ world }) =>
    ok({ ...presentWorld(world), credentials: [...world.credentials.values()].map(presentCredential) }),
  'worlds.delete'({ operator, world }) {
    if (world.name === MAIN_WORLD) throw problem('main-world-stays', { name: MAIN_WORLD })
    refuseDuringAdvance(world)
    operator.worlds.delete(world.name)
    return DONE
  },
  async 'worlds.reset'({ operator, world }) {
    refuseDuringAdvance(world)
    await operator.worlds.reset(world).catch(refuseWorld)
    return ok(presentWorld(world))
  },
}

function createNamed(
  { worlds }: Operator,
  name: string,
  options: Parameters<Operator['worlds']['create']>[1],
): Promise<Environment> {
  return worlds.createInTurns(name, options, randomKeys).catch(refuseWorld)
}

/** A name that was not chosen. */
export function newName(stem: string): string {
  return `${stem.slice(0, 48)}-${randomOpaque().slice(0, 12)}`
}

/** @throws Problem where a world cannot be made, or is gone; whatever else was thrown as it is. */
export function refuseWorld(error: unknown): never {
  if (error instanceof WorldNameError)
    throw problem(error.isTaken ? 'world-name-taken' : 'world-name-malformed', { message: error.message })
  if (error instanceof WorldGoneError) throw problem('world-gone', { message: error.message })
  throw error
}

/** A clock may start at any instant since 1970 that four digits of year can write. */
function startInstant(written: string): number {
  const instantMs = parseInstant(written) as number
  if (instantMs < 0) throw problem('clock-before-1970')
  return instantMs
}

/**
 * The choices of a new world: all drawn from `vary` where that is given, else those of the server, and over them what `gaps`
 * names.
 *
 * @throws Problem 400 naming every unknown id, and the legal values of every value that is not one.
 */
function newWorldGaps(
  { gaps = {}, vary }: { gaps?: Readonly<Record<string, unknown>>; vary?: string },
  usual: Partial<GapChoices>,
): Partial<GapChoices> {
  const { choices, problems } = readGapChoices(gaps, 'typed')
  if (problems.length > 0)
    throw problem('unknown-gaps', { messages: problems.map(({ message }) => message).join('; ') })
  return { ...(vary === undefined ? usual : variedGaps(vary)), ...choices }
}

/** A world by its outside; `world` is always the name as text (shapes.md). */
export function presentWorld(world: Environment) {
  return {
    world: world.name,
    problem: world.problem,
    seed: world.chance.seed,
    inventory: world.settings.inventory,
    mode: world.clock.state.mode,
    now: formatInstant(world.clock.nowMs()),
    progress: presentProgress(world),
    rules: presentRules(world),
    gaps: changedGaps(world.gaps),
    main_key_id: [...world.credentials.values()].find(({ name }) => name === 'main')?.keyId ?? null,
  }
}
