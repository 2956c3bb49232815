import { DEFAULT_GAPS, type GapChoices, isGapId } from '../../contract/choices.ts'
import { ownDialect } from '../dialect/own-dialect.ts'
import { isObject } from '../http/json-body.ts'
import type { DialectFile } from '../target/target.ts'
import { readWorld } from './operator.ts'
import { type Client, type Run, targetNowMs } from './run-context.ts'

/**
 * Asks the operator of a sandbox of ours how its world fills the gaps, and lets the run use that dialect. What the target
 * file says takes precedence. This changes nothing on the target; an operator that does not answer adds nothing.
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

/** The choices of a world that was shown; null if it is not a world of ours. */
function choicesIn(world: unknown): GapChoices | null {
  if (!isObject(world) || !isObject(world.gaps) || !Array.isArray(world.credentials)) return null
  const known = Object.entries(world.gaps).filter(([id]) => isGapId(id))
  return { ...DEFAULT_GAPS, ...Object.fromEntries(known) }
}

function speak(run: Run, choices: GapChoices): void {
  const configured = run.target.dialect
  Object.assign(configured, toldOver(configured, ownDialect(choices)))
  run.learned.priceUnit ??= configured.priceUnit
}

/**
 * A dialect with the target file's values laid over it: a role that names no operation counts for every operation.
 *
 * @example toldOver({ ...configured, roles: { 'listing.price': '/a' } }, own).roles['pricing:listing.price'] // undefined
 */
export function toldOver(configured: DialectFile, own: Partial<DialectFile>): DialectFile {
  const roles = Object.entries(own.roles ?? {}).filter(([key]) => configured.roles[roleOf(key)] === undefined)
  return {
    priceUnit: configured.priceUnit ?? own.priceUnit ?? null,
    params: { ...own.params, ...configured.params },
    bodies: { ...own.bodies, ...configured.bodies },
    roles: { ...Object.fromEntries(roles), ...configured.roles },
    statuses: { ...own.statuses, ...configured.statuses },
    paymentModels: { ...own.paymentModels, ...configured.paymentModels },
  }
}

function roleOf(key: string): string {
  return key.slice(key.indexOf(':') + 1)
}
