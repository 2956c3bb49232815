import { formatInstant, parseInstant } from '../../clock/instant.ts'
import { changedGaps } from '../../contract/gaps.ts'
import { flag, integer, object, optional, text } from '../../contract/schema.ts'
import { randomOpaque } from '../../sandbox/kernel/chance.ts'
import { handedCredentials, randomKeys } from '../../sandbox/kernel/credentials.ts'
import { refuseDuringAdvance } from '../../sandbox/worlds/advance.ts'
import type { Environment } from '../../sandbox/worlds/environment.ts'
import { SETTING_LIMITS } from '../../sandbox/worlds/world-facts.ts'
import { WorldNameError } from '../../sandbox/worlds/world-registry.ts'
import { MAIN_WORLD, WorldGoneError } from '../../sandbox/worlds/worlds.ts'
import { Problem } from '../problem.ts'
import { created, DONE, type Operator, ok, route, worldRoute } from '../route.ts'
import { newWorldGaps, writtenGaps } from './gaps.ts'
import { newWorldProgress, presentProgress, readProgress } from './progress.ts'
import { presentRules, readCommission, readReview, writtenRules } from './world-rules.ts'

const LONGEST_SEED = 200

const create = route('POST', '/v1/worlds', {
  summary: 'Makes a world: 201 with its facts and its `credentials`, the only answer that shows their secrets.',
  body: object({
    name: optional(text({ minLength: 1, maxLength: 64 })),
    seed: optional(text({ format: 'plain', minLength: 1, maxLength: LONGEST_SEED })),
    inventory: optional(integer({ minimum: 0, maximum: SETTING_LIMITS.inventory })),
    clock: optional(text({ format: 'instant', maxLength: 40 })),
    frozen: optional(flag()),
    progress: optional(newWorldProgress),
    rules: optional(writtenRules),
    ...writtenGaps,
  }),
  async handle({ operator, body }) {
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
})

function createNamed(
  { worlds }: Operator,
  name: string,
  options: Parameters<Operator['worlds']['create']>[1],
): Promise<Environment> {
  return worlds.createInTurns(name, options, randomKeys).catch(refuseWorld)
}

/** A name that nobody has chosen. */
export function newName(stem: string): string {
  return `${stem.slice(0, 48)}-${randomOpaque().slice(0, 12)}`
}

/** @throws Problem where a world cannot be made, or is gone; whatever else was thrown as it is. */
export function refuseWorld(error: unknown): never {
  if (error instanceof WorldNameError && error.isTaken) throw new Problem(409, error.message)
  if (error instanceof WorldNameError) throw new Problem(400, `name: ${error.message}`)
  if (error instanceof WorldGoneError) throw new Problem(409, error.message)
  throw error
}

/** A clock may start at any instant since 1970 that four digits of year can write. */
function startInstant(written: string): number {
  const instantMs = parseInstant(written) as number
  if (instantMs < 0) throw new Problem(400, 'clock must not be before 1970')
  return instantMs
}

const list = route('GET', '/v1/worlds', {
  summary:
    'Every world of this sandbox: `worlds`. One whose file cannot be used says why in `problem`, which is null otherwise; it can be reset, restored and deleted.',
  handle: ({ operator }) => ok({ worlds: operator.worlds.list().map(presentWorld) }),
})

const show = worldRoute('GET', '', {
  asItIs: true,
  summary:
    'One world: seed, inventory, clock, progress, rules, the open points it decides otherwise than usual (`gaps`), and its `credentials` without secrets.',
  handle: ({ world }) => ok({ ...presentWorld(world), credentials: credentialsWithoutSecrets(world) }),
})

const remove = worldRoute('DELETE', '', {
  asItIs: true,
  summary: 'Deletes a world and all that it holds: 204. The world `default` stays (409).',
  handle({ operator, world }) {
    if (world.name === MAIN_WORLD) throw new Problem(409, `the world ${MAIN_WORLD} is always there; reset it instead`)
    refuseDuringAdvance(world)
    operator.worlds.delete(world.name)
    return DONE
  },
})

const reset = worldRoute('POST', '/reset', {
  asItIs: true,
  summary: 'Takes a world back to its seed; credentials and settings stay. The world as it is then.',
  async handle({ operator, world }) {
    refuseDuringAdvance(world)
    await operator.worlds.reset(world).catch(refuseWorld)
    return ok(presentWorld(world))
  },
})

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

function credentialsWithoutSecrets(world: Environment) {
  return handedCredentials(world).map(({ secret: _secret, ...shown }) => ({
    ...shown,
    revoked: world.credentials.get(shown.key_id)?.revoked === true,
  }))
}

export const worldRoutes = [create, list, show, remove, reset]
