import { isDeepStrictEqual } from 'node:util'
import { withoutIds } from '../engine/baseline.ts'
import { runConformance } from '../engine/run.ts'
import type { RunOptions } from '../engine/run-options.ts'
import type { LoadedScenario, Step } from '../format/scenario.ts'
import { isWrite, observationsOf } from '../format/step-facts.ts'
import type { Observation } from '../result/result.ts'
import { liveCredential, type Target } from '../target/target.ts'
import type { Discovery } from './discovery.ts'

type Readings = ReadonlyMap<string, readonly unknown[]>

/**
 * Observes the open points that reads can show, twice: what differs from one reading to the next is not a choice of the target,
 * and is not pinned. Nothing is written.
 */
export async function readPins(options: Omit<RunOptions, 'only'>): Promise<NonNullable<Discovery['pins']>> {
  const scenarios = options.scenarios.filter((loaded) =>
    onlyObservesByReading(loaded, liveCredential(options.target) !== undefined),
  )
  const target: Target = { ...options.target, mode: 'read', receiver: null, pins: {} }
  const ids = scenarios.map(({ id }) => id)
  if (ids.length === 0) return pinsOf(options.target, new Map())
  const read = async () => (await runConformance({ ...options, scenarios, target })).observations
  const readings = [...(await read()), ...(await read())]
  return pinsOf(options.target, byGap(readings))
}

/** The pins that a run which is over would have led to; what holds an id or a time is of that run. */
export function pinsOfRun(target: Target, observations: readonly Observation[]): NonNullable<Discovery['pins']> {
  return pinsOf(target, byGap(observations))
}

/** Steps that read, and nothing that the signer turns into another verb; where it is live, one after the other. */
function onlyObservesByReading({ scenario }: LoadedScenario, isLive: boolean): boolean {
  const steps = [...scenario.steps, ...(scenario.cleanup ?? [])]
  return (
    steps.some((step) => observationsOf(step).length > 0) &&
    steps.every((step) => isRead(step) && !(isLive && step.call?.at_once !== undefined))
  )
}

function isRead(step: Step): boolean {
  const tampers = (step.fault?.tamper as { method?: unknown } | undefined)?.method !== undefined
  return !isWrite(step) && !tampers && step.operator === undefined
}

function byGap(observations: readonly Observation[]): Readings {
  const readings = new Map<string, unknown[]>()
  for (const { gap, value } of observations) readings.set(gap, [...(readings.get(gap) ?? []), value])
  return readings
}

function pinsOf({ pins }: Target, readings: Readings): NonNullable<Discovery['pins']> {
  const isOfOneRun = (value: unknown): boolean => {
    const text = JSON.stringify(value) ?? ''
    return withoutIds(text) !== text
  }
  const steady = [...readings].filter(
    ([, [first, ...others]]) => !isOfOneRun(first) && others.every((value) => isDeepStrictEqual(value, first)),
  )
  const observed = Object.fromEntries(
    steady.map(([gap, [value]]) => [gap, value]).sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  )
  const drift = Object.entries(observed).flatMap(([gap, value]) =>
    Object.hasOwn(pins, gap) && !isDeepStrictEqual(pins[gap], value)
      ? [{ gap, pinned: pins[gap], observed: value }]
      : [],
  )
  const unsteady = [...readings.keys()].filter((gap) => !Object.hasOwn(observed, gap)).sort()
  return { observed, unsteady, drift }
}
