import { DEFAULT_GAPS, type GapChoices, isGapId } from '../../contract/gaps.ts'
import { ownDialect } from '../dialect/own-dialect.ts'
import { isObject } from '../http/json-body.ts'
import type { DialectFile } from '../target/target.ts'
import { readWorld } from './operator.ts'
import { type Client, type Run, targetNowMs } from './run-context.ts'

/**
 * Asks the operator of a sandbox of ours how its world fills the gaps, and lets the run speak that dialect. What the target
 * file tells stays as it is told. Nothing is changed anywhere; an operator that does not answer has told nothing.
 */
export async function learnOwnDialect(client: Client): Promise<void> {
  const { run } = client
  if (!run.target.operator?.url) return
  const world = await readWorld(client)
  const chosen = choicesIn(world)
  if (chosen) speak(run, chosen)
  if (isObject(world)) learnTime(run, world.now)
}

/** An earlier run, or an earlier part of this one, may have moved the time of the world. */
function learnTime(run: Run, now: unknown): void {
  const aheadMs = Date.parse(String(now)) - targetNowMs(run)
  if (Number.isNaN(aheadMs)) return
  run.learned.worldTimeKnown = true
  if (Math.abs(aheadMs) > NOTICEABLE_MS) run.learned.advancedMs = aheadMs
}

/** What the way of the answer may account for. */
const NOTICEABLE_MS = 5_000

/** The choices of a world that was shown; null where what was shown is no world of ours. */
function choicesIn(world: unknown): GapChoices | null {
  if (!isObject(world) || !isObject(world.gaps) || !Array.isArray(world.credentials)) return null
  const known = Object.entries(world.gaps).filter(([id]) => isGapId(id))
  return { ...DEFAULT_GAPS, ...Object.fromEntries(known) }
}

function speak(run: Run, choices: GapChoices): void {
  const told = run.target.dialect
  Object.assign(told, toldOver(told, ownDialect(choices)))
  run.learned.priceUnit ??= told.priceUnit
}

/**
 * A dialect with what somebody told laid over it: a role that is told without its operation counts for every operation.
 *
 * @example toldOver({ ...told, roles: { 'listing.price': '/a' } }, own).roles['pricing:listing.price'] // undefined
 */
export function toldOver(told: DialectFile, own: Partial<DialectFile>): DialectFile {
  const roles = Object.entries(own.roles ?? {}).filter(([key]) => told.roles[roleOf(key)] === undefined)
  return {
    priceUnit: told.priceUnit ?? own.priceUnit ?? null,
    params: { ...own.params, ...told.params },
    bodies: { ...own.bodies, ...told.bodies },
    roles: { ...Object.fromEntries(roles), ...told.roles },
    statuses: { ...own.statuses, ...told.statuses },
    paymentModels: { ...own.paymentModels, ...told.paymentModels },
  }
}

function roleOf(key: string): string {
  return key.slice(key.indexOf(':') + 1)
}
