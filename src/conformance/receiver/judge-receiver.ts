import { LIMITS } from '../../contract/limits.ts'
import { createCaller, type Run, senderTo } from '../context/run.ts'
import { whyNone } from '../engine/first-calls.ts'
import { closeRun, openRun } from '../engine/open-run.ts'
import { profileOfAll } from '../engine/profile.ts'
import { type RunOptions, TargetError } from '../engine/run-options.ts'
import { neverReached, notCarriedOut, observed, openingOf, reportRun, settled } from '../engine/run-report.ts'
import { checkGoesOn, complete, type FinishedScenario, stopFor } from '../engine/run-scenario.ts'
import { selects, withProgress } from '../engine/schedule.ts'
import { editionOf, type RequirementRegistry } from '../format/requirements.ts'
import { withoutQuery } from '../http/address.ts'
import { type Answer, type Exchange, isAccepted } from '../http/exchange.ts'
import { atPointer, digest } from '../http/json-body.ts'
import { DEFAULT_MAX_BODY_BYTES, DEFAULT_TIMEOUT_MS } from '../http/send.ts'
import { ConcurrencyLimit } from '../http/throttle.ts'
import { undone } from '../judge/placed-check.ts'
import { Open } from '../result/open.ts'
import { byId, type CheckResult, type Observation, type RunResult, type ScenarioResult } from '../result/result.ts'
import { built } from '../target/load-target.ts'
import type { Target } from '../target/target.ts'
import { courierOf, createEventMaker, type Envelope, type PartnerReceiver, type ReceiverScenario } from './courier.ts'
import {
  EFFECTS_REQUIREMENTS,
  EFFECTS_SCENARIOS,
  leakedSignatures,
  OBSERVING_SCENARIOS,
  SECRECY,
} from './effects-scenarios.ts'
import { forgedScenarios } from './forged-scenarios.ts'
import {
  AT_ONCE,
  AT_THE_SAME_TIME,
  courseScenarios,
  FIRST,
  ownEventsScenario,
  VALID_SCENARIOS,
} from './valid-scenarios.ts'

export interface ReceiverOptions
  extends Pick<RunOptions, 'registry' | 'wall' | 'toolVersion' | 'only' | 'signal' | 'onProgress'> {
  /** Where deliveries go: http or https, path and query included. */
  url: string
  /** The one that the receiver knows. */
  secret: string
  ownEvents?: readonly Pick<Envelope, 'type' | 'data'>[]
  /** Headers for a gateway before the receiver; `isSecret` ones are left out of reports. */
  headers?: readonly { name: string; value: string; isSecret: boolean }[]
  /** Where the partner says how many events were dealt with; the fragment is a JSON pointer into the answer. */
  effectsUrl?: string
  insecure?: boolean
  /** How long to wait for an answer. Default 10 s. */
  timeoutMs?: number
  /** Answers after that are too late. The document's 5 s unless a test is in a hurry. */
  deadlineMs?: number
  /** How long a receiver may work on what it has answered. 5 s unless a test is in a hurry. */
  patienceMs?: number
  transcript?: 'named' | 'all'
}

/**
 * Judges a webhook receiver: events that look as the service sends them, and forgeries of them, each with its valid twin.
 *
 * @throws TargetError if no connection can be had.
 * @throws TypeError if the address is not one.
 * @example const result = await judgeReceiver({ url: 'http://localhost:3000/hooks', secret, registry, wall: wallClock, toolVersion })
 */
export async function judgeReceiver(options: ReceiverOptions): Promise<RunResult> {
  const { wall, toolVersion, onProgress } = options
  const [startedAtMs, startedMs] = [wall.nowMs(), wall.monotonicMs()]
  const scenarios = receiverScenarios(options)
  const chosen = scenarios.filter((scenario) => selects(options.only, scenario))
  const left = scenarios.filter((scenario) => !chosen.includes(scenario))
  const registry = registryOf(options)
  const exchanges = new Map<string, Exchange>()
  const run = openRun(runOptions(options, registry), exchanges)
  try {
    const receiver = partnerReceiver(run, options)
    const identity = receiverIdentity(run, registry, scenarios, receiver, options)
    const facts = { identity, plan: planOf(chosen), profile: profileOfAll(registry), startedAtMs, toolVersion }
    const opening = openingOf(run, facts, chosen, left)
    onProgress?.({ kind: 'planned', ...opening })
    let hindrance: TargetError | null = null
    const runs = await runChosen({ run, receiver, onProgress }, chosen, options.url).catch((error) => {
      if (!(error instanceof TargetError)) throw error
      run.end.because(error.message)
      hindrance = error
      return []
    })
    for (const signature of leakedSignatures(receiver)) run.redactor.add(signature)
    const result = reportRun(run, opening, {
      scenarios: scenarios.flatMap((scenario) => resultsOf(run, scenario, chosen, runs)),
      exchanges: [...exchanges.values()],
      keepsEveryExchange: options.transcript === 'all',
      // In the order of the rows, not of arrival.
      observations: observed(run, runs).sort((a, b) => (a.gap < b.gap ? -1 : 1)),
      durationMs: Math.round(wall.monotonicMs() - startedMs),
    })
    const url = run.redactor.text(run.target.url + receiver.target)
    const judged: RunResult = { ...result, target: { url, environment: 'receiver' } }
    if (hindrance) throw Object.assign<TargetError, Pick<TargetError, 'result'>>(hindrance, { result: judged })
    return judged
  } finally {
    await closeRun(run)
  }
}

function runOptions(options: ReceiverOptions, registry: RequirementRegistry): RunOptions {
  const { wall, toolVersion, insecure = false, signal, onProgress } = options
  return {
    target: targetOf(options),
    scenarios: [],
    registry,
    wall,
    toolVersion,
    ...(signal && { signal }),
    ...(onProgress && { onProgress }),
    sender: { insecure, maxBodyBytes: DEFAULT_MAX_BODY_BYTES },
  }
}

/** The receiver as the engine knows targets: an address, and what must be shown nowhere. */
function targetOf({ url, secret, headers = [], timeoutMs = DEFAULT_TIMEOUT_MS }: ReceiverOptions): Target {
  const target = built({ url: new URL(url).origin, credentials: [{ name: 'main', key_id: '', secret }] })
  return {
    ...target,
    timeoutMs,
    budget: { ...target.budget, requests: Number.POSITIVE_INFINITY, perSecond: null },
    receiver: null,
    knownSecrets: headers.filter(({ isSecret }) => isSecret).map(({ value }) => value),
  }
}

/** What a run leaves open if nothing shows how events were dealt with. */
const UNSEEN =
  'What a receiver does with an event after its answer cannot be seen from outside; --effects-url makes it visible.'

/** Without a count of the partner's own some rows cannot be seen, and the verdict is about the others. */
function registryOf({ registry, effectsUrl }: ReceiverOptions): RequirementRegistry {
  if (effectsUrl !== undefined) return registry
  return {
    ...registry,
    unobservable: new Map([...registry.unobservable, ...EFFECTS_REQUIREMENTS.map((id) => [id, UNSEEN] as const)]),
  }
}

function partnerReceiver(run: Run, options: ReceiverOptions): PartnerReceiver {
  const { secret, ownEvents = [], effectsUrl, deadlineMs = LIMITS.webhookTimeoutMs, patienceMs = PATIENCE_MS } = options
  const { pathname, search } = new URL(options.url)
  const headers = (options.headers ?? []).map(({ name, value }) => [name, value] as const)
  const own = new Map([...ownEvents].reverse().map(({ type, data }) => [type, data]))
  return {
    secret,
    headers,
    deadlineMs,
    target: pathname + search,
    makeEvent: createEventMaker(run.wall, own),
    countEvents:
      effectsUrl === undefined
        ? () => Promise.resolve({ why: 'no --effects-url was given' })
        : eventCounter(run, new URL(effectsUrl), headers, patienceMs),
    limit: new ConcurrencyLimit(AT_ONCE),
    sent: [],
    shared: {},
  }
}

function receiverIdentity(
  { runId, target }: Run,
  registry: RequirementRegistry,
  scenarios: readonly ReceiverScenario[],
  receiver: PartnerReceiver,
  { ownEvents = [] }: ReceiverOptions,
): RunResult['identity'] {
  return {
    runId,
    edition: editionOf(registry),
    scenarios: digest(scenarios.map(({ id, title, checks }) => [id, title, checks])),
    target: digest([target.url, receiver.target, receiver.headers.map(([name]) => name), ownEvents]),
  }
}

/** The events are about invented orders: nothing is made at the receiver. */
function planOf({ length: scenarios }: readonly ReceiverScenario[]): RunResult['plan'] {
  const budget = { requests: null, orders: null, quotes: null }
  return { scenarios, orders: 0, quotes: 0, webhooks: 0, budget, longestWaitMs: 0, questions: 0 }
}

/** Who delivers to whom, and who is shown how it goes. */
interface Delivering {
  run: Run
  receiver: PartnerReceiver
  onProgress: RunOptions['onProgress']
}

/**
 * The first delivery goes alone, also where it was not selected: where it is not taken, nothing else would show anything. Then it is
 * found out whether the rest may go side by side: a receiver that takes one at a time is to be judged as such.
 */
async function runChosen(
  delivering: Delivering,
  chosen: readonly ReceiverScenario[],
  url: string,
): Promise<FinishedScenario[]> {
  const opening = await deliverScenario(delivering, FIRST, 1)
  refuseUnreachable(delivering.receiver, url)
  if (!isTaken(opening)) return opening
  const timing = chosen.includes(AT_THE_SAME_TIME) ? await deliverScenario(delivering, AT_THE_SAME_TIME, 2) : []
  const receiver = { ...delivering.receiver, limit: new ConcurrencyLimit(isTaken(timing) ? AT_ONCE : 1) }
  const sideBySide = new ConcurrencyLimit(timing.length > 0 && isTaken(timing) ? AT_ONCE : 1)
  const others = chosen.filter((scenario) => scenario !== FIRST && scenario !== AT_THE_SAME_TIME)
  const numbers = new Map(others.map((scenario, index) => [scenario, index + 3]))
  const runOther = (scenario: ReceiverScenario) =>
    deliverScenario({ ...delivering, receiver }, scenario, numbers.get(scenario) ?? 0)
  const [alone, together] = [true, false].map((wanted) =>
    others.filter((scenario) => scenario.alone === wanted).sort(byId),
  )
  const rest = await Promise.all((together ?? []).map((scenario) => sideBySide.within(() => runOther(scenario))))
  for (const scenario of alone ?? []) rest.push(await runOther(scenario))
  return [...opening, ...timing, ...rest.flat()]
}

/**
 * Runs one scenario: its steps one after the other, until one ends it.
 *
 * @param number begins the ids of its exchanges.
 */
function deliverScenario(
  { run, receiver, onProgress }: Delivering,
  scenario: ReceiverScenario,
  number: number,
): Promise<FinishedScenario[]> {
  const { id, title, steps } = scenario
  return withProgress(run, scenario, onProgress, async () => {
    const startedMs = run.wall.monotonicMs()
    const observations: Observation[] = []
    const courier = courierOf(createCaller(run, id, `s${number}`), receiver, observations)
    const found: CheckResult[][] = []
    const carryOut = async (): Promise<null> => {
      for (const step of steps) {
        checkGoesOn(run)
        const checks = await step.run(courier)
        checkGoesOn(run)
        found.push(checks)
      }
      return null
    }
    const stop = await carryOut().catch((error) => stopFor(id, error, run.signal))
    const results = steps.map(({ checks }, index) => ({ declared: checks, found: found[index] ?? [] }))
    return {
      outline: scenario,
      checks: complete(title, results, stop),
      observations,
      durationMs: run.wall.monotonicMs() - startedMs,
    }
  })
}

function refuseUnreachable({ sent }: PartnerReceiver, url: string): void {
  const [first] = sent
  if (!first?.broken || !sent.every(({ broken }) => broken?.reason === 'unreachable')) return
  throw new TargetError('unreachable', `${withoutQuery(url)}: ${whyNone(first.broken.message, url)}`)
}

/** Taken, in time, and without a redirect; once is enough, since other checks report what went wrong only once. */
function isTaken(runs: readonly FinishedScenario[]): boolean {
  const verdicts = runs.flatMap(({ checks }) => checks).map(({ verdict }) => verdict)
  return !verdicts.some((verdict) => verdict === 'fail' || verdict === 'not_run' || verdict === 'harness_error')
}

/** One result, however far the scenario came. */
function resultsOf(
  run: Run,
  scenario: ReceiverScenario,
  chosen: readonly ReceiverScenario[],
  runs: readonly FinishedScenario[],
): ScenarioResult[] {
  if (!chosen.includes(scenario)) return [notCarriedOut(scenario, { reason: 'filtered' })]
  const finished = runs.find(({ outline }) => outline === scenario)
  if (finished) return [settled(run, finished)]
  if (run.end.why !== null) return [neverReached(run, scenario)]
  return [settled(run, { outline: scenario, checks: notSent(scenario), observations: [], durationMs: 0 })]
}

/** One check for each requirement: a hundred lines would say no more. */
function notSent({ title, checks }: ReceiverScenario): FinishedScenario['checks'] {
  const firsts = checks.filter((check, at) => checks.findIndex((one) => one.requirement === check.requirement) === at)
  return firsts.map((declared) => undone(title, declared, NOT_SENT))
}

const NOT_SENT = Open.unproven('not sent, because the first valid delivery was not accepted as it should be', {
  seen: 'not carried out',
  todo: 'Make the receiver accept the first valid delivery: the first scenario shows how it answered.',
})

/** All scenarios there are for these options, the first one first. */
export function receiverScenarios(
  options: Pick<ReceiverOptions, 'secret' | 'ownEvents' | 'effectsUrl'>,
): ReceiverScenario[] {
  return [
    FIRST,
    AT_THE_SAME_TIME,
    ...VALID_SCENARIOS,
    ...ownEventsScenario(options.ownEvents ?? []),
    ...forgedScenarios(options.secret),
    ...courseScenarios(),
    ...OBSERVING_SCENARIOS,
    ...(options.effectsUrl === undefined ? [] : EFFECTS_SCENARIOS),
    SECRECY,
  ]
}

/** Why no number was had, in a few words. */
interface NoCount {
  why: string
}

/** How long a receiver may work on what it has answered. */
const PATIENCE_MS = 5_000
const PAUSE_MS = 100
/** So often the same is read before it counts as settled. */
const SAME_READINGS = 5
/** However much a receiver still has to work on, no count is awaited longer than this multiple of the patience. */
const MOST_PATIENCE = 6

/**
 * Reads the partner's own count of events, a number or a list whose length counts, until it stands still. Where it never
 * reaches what is hoped for, it is what it came to. The first count has to stand still for the whole patience, since a receiver may still
 * work on all that was delivered before; so has that after a delivery, since what is done twice may be late the second time.
 *
 * @param url whose fragment is a JSON pointer into the answer; none is the whole of it.
 * @param headers meant for the gateway before the receiver, and only for it.
 */
function eventCounter(
  run: Run,
  url: URL,
  headers: PartnerReceiver['headers'],
  patienceMs: number,
): PartnerReceiver['countEvents'] {
  const { wall } = run
  const read = () => readCount(run, url, url.origin === run.target.url ? headers : [])
  let isFirst = true
  return async (hoped) => {
    const isLong = isFirst || hoped > 0
    const startedMs = wall.monotonicMs()
    let last = await read()
    let sinceMs = startedMs
    for (let same = 1; typeof last === 'number' && !run.signal?.aborted; ) {
      const nowMs = wall.monotonicMs()
      const isStill = same >= SAME_READINGS && (!isLong || nowMs - sinceMs >= patienceMs)
      if (isStill && (last >= hoped || nowMs - startedMs > patienceMs)) {
        isFirst = false
        return last
      }
      if (nowMs - startedMs > MOST_PATIENCE * patienceMs) return { why: 'it does not stand still' }
      await run.pause(PAUSE_MS)
      const next = await read()
      if (next !== last) sinceMs = wall.monotonicMs()
      same = next === last ? same + 1 : 1
      last = next
    }
    return last
  }
}

async function readCount(run: Run, url: URL, extra: PartnerReceiver['headers']): Promise<number | NoCount> {
  const headers = [
    ['connection', 'close'] as const,
    ['accept', 'application/json'] as const,
    ['user-agent', 'partner-sandbox'] as const,
    ...extra,
  ]
  const request = { method: 'GET', target: url.pathname + url.search, headers, body: new Uint8Array() }
  const { answer, broken } = await senderTo(run, url.origin).send(request, { fresh: true })
  if (!answer) return { why: `${broken?.reason}: ${broken?.message}` }
  if (!isAccepted(answer)) return { why: `it answered ${answer.status}` }
  return countAt(answer, decodeURIComponent(url.hash.slice(1)))
}

function countAt({ json }: Answer, pointer: string): number | NoCount {
  if (json === undefined) return { why: 'its answer is not JSON' }
  const value = atPointer(json, pointer)
  if (Array.isArray(value)) return value.length
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value
  return { why: `there is neither a whole number nor a list at "${pointer}" of its answer` }
}
