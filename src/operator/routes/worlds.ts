import { formatInstant, LATEST_MS, parseInstant } from '../../clock/instant.ts'
import { changedGaps, type GapChoices, readGapChoices, variedGaps } from '../../contract/choices.ts'
import { type ResetWorld, SNAPSHOT, type WorldSummary } from '../../operator-api/rows/worlds.ts'
import type { Environment } from '../../sandbox/app/environment.ts'
import { casesByState } from '../../sandbox/brokerage/cases.ts'
import { sessionsByState } from '../../sandbox/checkout/sessions.ts'
import { lastEventSeq } from '../../sandbox/events/events.ts'
import { randomOpaque } from '../../sandbox/kernel/chance.ts'
import { handedCredentials, randomKeys } from '../../sandbox/kernel/credentials.ts'
import { ordersByState } from '../../sandbox/sales/orders.ts'
import { deliveriesByState } from '../../sandbox/webhooks/deliveries.ts'
import { refuseDuringAdvance } from '../../sandbox/worlds/advance.ts'
import { seedWorld } from '../../sandbox/worlds/month-of-sales.ts'
import { InvalidDatabaseError, snapshotOf, WorldTooLargeError } from '../../sandbox/worlds/snapshots.ts'
import { WorldGoneError, WorldNameError } from '../../sandbox/worlds/worlds.ts'
import { isRefusal } from '../present-request.ts'
import { problem } from '../problems.ts'
import { created, DONE, type HandlersOf, ok } from '../route.ts'
import { presentCredential } from './credentials.ts'
import { presentProgress, presentRules, readProgress, readRules } from './settings.ts'

export const worldHandlers: HandlersOf<'worlds' | 'snapshots'> = {
  async 'worlds.create'({ operator, body }) {
    const { newWorldDefaults: usual } = operator
    const name = body.name ?? newName('world')
    const options = {
      seed: body.seed ?? usual.seed,
      inventory: body.inventory ?? usual.inventory,
      clockMs: body.clock === undefined ? null : startInstant(body.clock),
      frozen: body.frozen ?? false,
      rateLimit: usual.rateLimit,
      progress: readProgress(body.progress ?? 'manual'),
      ...readRules(body.rules),
      gaps: newWorldGaps(body, usual.gaps),
      hints: body.hints ?? false,
    }
    return createdWorld(await operator.worlds.create(name, options, randomKeys).catch(refuseWorld))
  },
  'worlds.list': ({ operator: { worlds } }) =>
    ok({
      worlds: worlds.list().map(presentWorld),
      unusable: [...worlds.unusable].map(([world, problem]) => ({ world, problem })),
    }),
  'worlds.show': ({ world }) =>
    ok({ ...presentWorld(world), credentials: [...world.credentials.values()].map(presentCredential) }),
  'worlds.summary': ({ world }) => ok(summarizeWorld(world)),
  'worlds.delete'({ operator, world }) {
    if (world === operator.worlds.main) throw problem('main-world-stays', { name: world.name })
    refuseDuringAdvance(world)
    operator.worlds.delete(world.name)
    return DONE
  },
  async 'worlds.reset'({ operator, world }) {
    refuseDuringAdvance(world)
    const removed = countHistory(world)
    await operator.worlds.reset(world).catch(refuseWorld)
    return ok({ ...presentWorld(world), removed })
  },
  async 'worlds.seed'({ world, body, hungUp }) {
    const { fromMs, toMs, stopped, made } = await seedWorld(world, body.orders ?? USUAL_ORDERS, hungUp)
    const month = { from: formatInstant(fromMs), to: formatInstant(toMs), stopped, made }
    return ok({ world: world.name, ...month, orders: ordersByState(world) })
  },
  async 'worlds.fork'({ operator, world, body }) {
    refuseDuringAdvance(world)
    return createdWorld(await orRefuse(() => operator.worlds.fork(world, body.name ?? newName(world.name))))
  },
  'worlds.import': async ({ operator, query, bytes }) =>
    createdWorld(await orRefuse(() => operator.worlds.import(sent(bytes), query.name ?? null))),
  async 'snapshots.save'({ world }) {
    refuseDuringAdvance(world)
    return {
      status: 200,
      raw: await orRefuse(() => snapshotOf(world)),
      type: SNAPSHOT.type,
      headers: { 'content-disposition': `attachment; filename="${world.name}.sqlite"` },
    }
  },
  async 'snapshots.restore'({ operator, world, bytes }) {
    refuseDuringAdvance(world)
    await orRefuse(() => operator.worlds.restore(world, sent(bytes)))
    return ok(presentWorld(world))
  },
}

/** Enough for every list of the console to have pages. */
const USUAL_ORDERS = 200

/** A name that was not chosen. */
function newName(stem: string): string {
  return `${stem.slice(0, 48)}-${randomOpaque().slice(0, 12)}`
}

function sent(bytes: Uint8Array | null): Uint8Array {
  if (bytes === null) throw problem('no-snapshot-sent', { type: SNAPSHOT.type })
  return bytes
}

/** @throws Problem if a world cannot be made, or is gone; anything else as it was thrown. */
function refuseWorld(error: unknown): never {
  if (error instanceof WorldGoneError) throw problem('world-gone', { message: error.message })
  if (!(error instanceof WorldNameError)) throw error
  throw problem(error.isTaken ? 'world-name-taken' : 'world-name-malformed', { message: error.message })
}

/** Does what works on a snapshot; a refusal becomes a problem. */
async function orRefuse<Result>(work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof InvalidDatabaseError) throw problem('unsound-snapshot', { message: error.message })
    if (error instanceof WorldTooLargeError) throw problem('world-too-large', { message: error.message })
    return refuseWorld(error)
  }
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

function createdWorld(world: Environment) {
  return created({ ...presentWorld(world), credentials: handedCredentials(world) })
}

/** A world by its outside; `world` is always the name as text. */
function presentWorld(world: Environment) {
  return {
    world: world.name,
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

/** The state of a world in numbers. */
function summarizeWorld(world: Environment): WorldSummary {
  const logged = world.log.latest()
  return {
    orders: ordersByState(world),
    checkout_sessions: sessionsByState(world),
    cases: casesByState(world),
    deliveries: deliveriesByState(world),
    requests: { logged: logged.length, refused: logged.filter(({ answer }) => isRefusal(answer)).length },
    due: dueByKind(world),
  }
}

/** How much of its history a world holds, by kind: what a reset removes. */
function countHistory(world: Environment): ResetWorld['removed'] {
  return {
    orders: sumOf(ordersByState(world)),
    events: lastEventSeq(world),
    deliveries: sumOf(deliveriesByState(world)),
    requests: world.log.entries,
  }
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}

function dueByKind({ scheduler }: Environment): WorldSummary['due'] {
  const counts = scheduler.countByKind()
  // What is due after the end of time never is.
  const tasks = scheduler.earliestByKind().filter(({ atMs }) => atMs <= LATEST_MS)
  return tasks.map(({ atMs, kind, id }) => ({ at: formatInstant(atMs), kind, id, count: counts[kind] ?? 0 }))
}
