import { formatInstant, parseInstant } from '../../clock/instant.ts'
import { refuseDuringAdvance } from '../../sandbox/advance.ts'
import { randomOpaque } from '../../sandbox/chance.ts'
import { handedCredentials, randomKeys } from '../../sandbox/credentials.ts'
import { flag, integer, object, optional, text } from '../../sandbox/http/schema.ts'
import { resetWorld } from '../../sandbox/open-world.ts'
import type { World } from '../../sandbox/world.ts'
import { MAIN_WORLD, WorldNameError } from '../../sandbox/worlds.ts'
import { Problem } from '../problem.ts'
import { created, DONE, type Operator, ok, route, worldRoute } from '../route.ts'
import { newWorldProgress, presentProgress, readProgress } from './progress.ts'
import { presentRules, readCommission, readReview, writtenRules } from './world-rules.ts'

const MOST_LISTINGS = 10_000_000
const LONGEST_SEED = 200

const create = route('POST', '/v1/worlds', {
  summary: 'Makes a world: 201 with its facts and its `credentials`, the only answer that shows their secrets.',
  body: object({
    name: optional(text({ minLength: 1, maxLength: 64 })),
    seed: optional(text({ format: 'plain', minLength: 1, maxLength: LONGEST_SEED })),
    inventory: optional(integer({ minimum: 0, maximum: MOST_LISTINGS })),
    clock: optional(text({ format: 'instant', maxLength: 40 })),
    frozen: optional(flag()),
    progress: optional(newWorldProgress),
    rules: optional(writtenRules),
  }),
  handle({ operator, body }) {
    const { newWorldDefaults: usual } = operator
    const world = createNamed(operator, body.name ?? `world-${randomOpaque().slice(0, 12)}`, {
      seed: body.seed ?? usual.seed,
      inventory: body.inventory ?? usual.inventory,
      clockMs: body.clock === undefined ? null : startInstant(body.clock),
      frozen: body.frozen ?? false,
      rateLimit: usual.rateLimit,
      progress: readProgress(body.progress ?? 'manual'),
      review: readReview(body.rules),
      commission: readCommission(body.rules),
    })
    return created({ ...presentWorld(world), credentials: handedCredentials(world) })
  },
})

function createNamed(operator: Operator, name: string, options: Parameters<Operator['worlds']['create']>[1]): World {
  if (operator.worlds.find(name)) throw new Problem(409, `there is a world called ${name} already`)
  try {
    return operator.worlds.create(name, options, randomKeys)
  } catch (error) {
    if (error instanceof WorldNameError) throw new Problem(400, `name: ${error.message}`)
    throw error
  }
}

/** A clock may start at any instant since 1970 that four digits of year can write. */
function startInstant(written: string): number {
  const instantMs = parseInstant(written) as number
  if (instantMs < 0) throw new Problem(400, 'clock must not be before 1970')
  return instantMs
}

const list = route('GET', '/v1/worlds', {
  summary: 'Every world of this sandbox: `worlds`.',
  handle: ({ operator }) => ok({ worlds: operator.worlds.list().map(presentWorld) }),
})

const show = worldRoute('GET', '', {
  summary: 'One world: seed, inventory, clock, progress, rules, and its `credentials` without secrets.',
  handle: ({ world }) => ok({ ...presentWorld(world), credentials: credentialsWithoutSecrets(world) }),
})

const remove = worldRoute('DELETE', '', {
  summary: 'Deletes a world and all that it holds: 204. The world `default` stays (409).',
  handle({ operator, world }) {
    if (world.name === MAIN_WORLD) throw new Problem(409, `the world ${MAIN_WORLD} is always there; reset it instead`)
    refuseDuringAdvance(world)
    operator.worlds.delete(world.name)
    return DONE
  },
})

const reset = worldRoute('POST', '/reset', {
  summary: 'Takes a world back to its seed; credentials and settings stay. The world as it is then.',
  handle({ world }) {
    refuseDuringAdvance(world)
    resetWorld(world)
    return ok(presentWorld(world))
  },
})

/** A world by its outside; `world` is always the name as text (shapes.md). */
function presentWorld(world: World) {
  return {
    world: world.name,
    seed: world.chance.seed,
    inventory: world.settings.inventory,
    mode: world.clock.state.mode,
    now: formatInstant(world.clock.nowMs()),
    progress: presentProgress(world),
    rules: presentRules(world),
  }
}

function credentialsWithoutSecrets(world: World) {
  return handedCredentials(world).map(({ secret: _secret, ...shown }) => shown)
}

export const worldRoutes = [create, list, show, remove, reset]
