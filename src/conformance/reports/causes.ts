import { grouped } from '../../contract/words.ts'
import { fingerprintOf, stableText } from '../engine/baseline.ts'
import type { CheckResult, RedactedExchange, RequirementResult, ScenarioResult } from '../result/result.ts'
import { domainTaken } from './exchange.ts'

/** A check with the scenario, requirement and exchange that it names. */
export interface ReportedCheck {
  readonly scenario: ScenarioResult
  readonly check: CheckResult
  /** Undefined for an id that the registry of requirements does not have. */
  readonly requirement: RequirementResult | undefined
  readonly exchange: RedactedExchange | undefined
  /** The first call with the Idempotency-Key of this one, if there was one before it. */
  readonly before: RedactedExchange | undefined
  /** The valid call that it was compared with, where the run kept it. */
  readonly twin: RedactedExchange | undefined
}

/** Checks about which a report says the same. */
export interface CheckGroup {
  readonly first: ReportedCheck
  readonly checks: readonly ReportedCheck[]
  /** Failures that may only follow from these (see causesOf); absent if nothing follows. */
  readonly follow?: readonly ReportedCheck[]
}

/**
 * Failed checks of one requirement by the way in which they failed. What only follows from another failure is beside that one. The
 * first is the one that explains most: it has the most checks, or is of the scenario that is about the fewest requirements.
 */
export function causesOf(checks: readonly ReportedCheck[]): CheckGroup[] {
  const leaders = new Map(checks.flatMap((found) => followersOf(found, checks)))
  const ways = waysOf(checks)
  const own = [
    ...grouped(
      checks.filter((found) => !leaders.has(found)),
      (found) => ways.get(found) ?? '',
    ).values(),
  ]
  return own
    .flatMap((alike) => {
      const follow = checks.filter((found) => alike.includes(leaders.get(found) as ReportedCheck))
      return alike.slice(0, 1).map((first) => ({ first, checks: alike, ...(follow.length > 0 && { follow }) }))
    })
    .sort((a, b) => sizeOf(b) - sizeOf(a) || subjectsOf(a) - subjectsOf(b))
}

function sizeOf({ checks, follow = [] }: CheckGroup): number {
  return checks.length + follow.length
}

function subjectsOf({ first: { scenario } }: CheckGroup): number {
  return new Set(scenario.checks.map(({ requirement }) => requirement)).size
}

/** What names a page of a list rather than what is to be on it. */
const PAGING = /cursor|after|before_id|page|offset|limit|size|start|token/i

/**
 * How each check failed. The same call with the same kind of answer and the same note is one way, whatever words two steps have for what
 * they expect.
 */
function waysOf(checks: readonly ReportedCheck[]): ReadonlyMap<ReportedCheck, string> {
  const byCall = new Map<string, string>()
  const known = new Map<string, string>()
  return new Map(
    checks.map((found) => {
      const { check, exchange } = found
      const way = wayOf(found)
      if (!known.has(way)) {
        const call = JSON.stringify([stableText(check.actual), check.note, exchange?.method, exchange?.target])
        const same = exchange && check.note !== undefined ? byCall.get(call) : undefined
        known.set(way, same ?? way)
        byCall.set(call, same ?? way)
      }
      return [found, known.get(way) ?? way]
    }),
  )
}

/** In the words of the check. Where a list has what it should not, what the list was asked for is part of that. */
function wayOf({ check, exchange }: ReportedCheck): string {
  const fingerprint = fingerprintOf(check)
  if (exchange === undefined || !/\bnumber \d+ of \d+\b/.test(check.actual)) return fingerprint
  const asked = new URLSearchParams(exchange.target.split('?')[1] ?? '')
  const words = [...asked].filter(([name]) => !PAGING.test(name)).map(([name, value]) => `${name}=${stableText(value)}`)
  return JSON.stringify([fingerprint, ...words])
}

type Follower = readonly [follower: ReportedCheck, leader: ReportedCheck]

/**
 * The later failures of a scenario that may only follow from this one: a write that had to be refused was accepted, and further calls
 * about the same domain were refused.
 */
function followersOf(leader: ReportedCheck, checks: readonly ReportedCheck[]): Follower[] {
  const domain = domainTakenBy(leader)
  if (domain === null) return []
  const steps = leader.scenario.checks
  return checks
    .filter(
      ({ scenario, check, exchange }) =>
        scenario === leader.scenario &&
        steps.indexOf(check) > steps.indexOf(leader.check) &&
        isRefusal(exchange) &&
        `${exchange.target} ${exchange.requestBody}`.includes(domain),
    )
    .map((follower) => [follower, leader])
}

function isRefusal(exchange: RedactedExchange | undefined): exchange is RedactedExchange {
  return exchange?.status != null && exchange.status >= 400 && exchange.status < 500
}

/** The domain of a write that was accepted though it had to be refused; null where a check is about something else. */
function domainTakenBy({ check: { expected }, exchange }: ReportedCheck): string | null {
  return exchange && expected.startsWith('refused') ? domainTaken(exchange) : null
}

/** The checks that nothing was found out by after a failure that others follow from. */
export function openBehind({ first: { scenario, check } }: CheckGroup): CheckResult[] {
  return scenario.checks.filter(
    ({ verdict, requirement }, at) =>
      verdict === 'inconclusive' && requirement === check.requirement && at > scenario.checks.indexOf(check),
  )
}
