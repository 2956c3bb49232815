import { randomUUID } from 'node:crypto'
import { sleep } from '../../clock/wall-clock.ts'
import { ENDPOINTS, type EndpointId } from '../../contract/endpoints.ts'
import { type BodyBook, createBodies } from '../context/bodies.ts'
import { createCredentials } from '../context/credentials.ts'
import { createEarlyStop } from '../context/early-stop.ts'
import { createEventBook } from '../context/event-history.ts'
import { createFixtures } from '../context/fixtures.ts'
import { learnOwnDialect } from '../context/learn-own-dialect.ts'
import { createParams } from '../context/params.ts'
import { type Ask, closeSenders, createClient, nothingLearned, type Run, targetNowMs } from '../context/run-context.ts'
import type { Services } from '../context/scenario-run.ts'
import { converse } from '../context/send-call.ts'
import { probeTurn, readClock } from '../context/target-clock.ts'
import { createDialect } from '../dialect/dialect.ts'
import type { Step } from '../format/scenario.ts'
import { callOf } from '../format/step-facts.ts'
import { realmOfHost, resolveName } from '../http/address.ts'
import { isAccepted } from '../http/answer.ts'
import type { Exchange } from '../http/exchange.ts'
import { createRedactor } from '../http/redact.ts'
import { createSender } from '../http/send.ts'
import { createThrottle, isMute, type Throttle } from '../http/throttle.ts'
import { createEvidence } from '../result/evidence.ts'
import { isOpen } from '../result/open.ts'
import { PROBE, planOf, signPlan } from '../signing/sign-plan.ts'
import { createBudget } from '../target/budget.ts'
import { isLoopback } from '../target/build-target.ts'
import { ordersAllowed, type Target } from '../target/target.ts'
import { createReceiver } from '../webhooks/receiver.ts'
import { checkOperatorWorld } from './check-operator.ts'
import { checkMainIsTaken } from './refused-credential.ts'
import { type RunOptions, TargetUnreachableError } from './run-options.ts'

/** Longest answer that is read. */
const MAX_BODY_BYTES = 4 * 1024 * 1024

/** What all scenarios of a run share, before anything is sent. */
export function createRun(options: RunOptions, exchanges: Map<string, Exchange>): Run {
  const { wall, onProgress } = options
  // A sandbox of ours adds its own values under the dialect; what the caller gave takes precedence.
  const target = { ...options.target, dialect: { ...options.target.dialect } }
  const redactor = createRedactor([
    ...target.credentials.map(({ secret }) => secret),
    ...(target.operator?.token ? [target.operator.token] : []),
    ...operatorSecrets(target),
    ...(target.knownSecrets ?? []),
  ])
  const uuid = options.randomUuid ?? randomUUID
  const resolve = options.resolve ?? resolveName
  const { timeoutMs } = target
  const senderOptions = {
    origin: target.url,
    timeoutMs,
    maxBodyBytes: MAX_BODY_BYTES,
    wall,
    resolve,
    ...options.sender,
  }
  const budget = { ...target.budget, orders: ordersAllowed(target) }
  const run: Omit<Run, 'throttle'> = {
    target,
    dialect: createDialect(target.dialect),
    registry: options.registry,
    wall,
    pause: options.pause ?? ((ms) => sleep(ms, options.signal)),
    uuid,
    signal: options.signal,
    earlyStop: createEarlyStop(options),
    runId: uuid().replaceAll('-', '').slice(0, 10),
    lane: '',
    sender: createSender(senderOptions),
    senderOptions,
    senders: new Map(),
    budget: createBudget(budget, wall),
    receiver: target.receiver === null ? null : createReceiver({ ...target.receiver, wall }),
    unusedHook: null,
    redactor,
    evidence: createEvidence(),
    created: [],
    learned: nothingLearned(target),
    onExchange(scenario, exchange) {
      if (options.transcript !== 'none') exchanges.set(exchange.id, exchange)
      if (options.transcript === 'all')
        onProgress?.({ kind: 'exchange', scenario, exchange: redactor.exchange(exchange) })
    },
    onWait: (scenario, why, forMs) => onProgress?.({ kind: 'waiting', scenario, why, forMs }),
    ask: options.ask && oneAtATime(options.ask),
    maxWaitMs: options.maxWaitMs ?? 0,
    loopback: isLoopback(target.url),
    targetRealm: realmOfHost(new URL(target.url).hostname, resolve),
  }
  return { ...run, throttle: openThrottle(run, options.concurrency) }
}

/** Headers of operator requests usually carry a token. */
function operatorSecrets(target: Target): string[] {
  return Object.values(target.operator?.actions ?? {}).flatMap((request) =>
    Object.entries(request?.headers ?? {}).flatMap(([name, value]) =>
      /authorization|token|key|secret/i.test(name) ? [value, value.replace(/^\w+ /, '')] : [],
    ),
  )
}

/** A person reads one question at a time, however many scenarios run at once. */
function oneAtATime(ask: Ask): Ask {
  let latest: Promise<unknown> = Promise.resolve()
  return (request, scenario) => {
    const answer = latest.then(() => ask(request, scenario))
    latest = answer.catch(() => undefined)
    return answer
  }
}

/**
 * The services that scenarios of one run share.
 *
 * @param bodies that services in the same target's world has found to be taken.
 */
export function createServices(run: Run, bodies?: BodyBook['found']): Services {
  const credentials = createCredentials(run)
  const fixtures = createFixtures(run, credentials)
  const events = createEventBook()
  return {
    run,
    credentials,
    fixtures,
    events,
    bodies: createBodies(run, credentials, fixtures, events, bodies),
    params: createParams(run, credentials),
  }
}

/** Lets go of every connection, and of the receiver. */
export async function closeRun(run: Run): Promise<void> {
  run.sender.close()
  closeSenders(run)
  await run.receiver?.close()
}

/** The address may be right where only the certificate is not believed. */
function whyOf({ outcome }: Exchange): string {
  return outcome.kind === 'broken' && /CERT|SELF_SIGNED/.test(outcome.message) ? ` (${outcome.message})` : ''
}

/** One sound read: does the target answer, what time is it there, and does it know our key? */
export async function greetTarget(services: Services, doubtsCredentials: boolean): Promise<void> {
  const { run, credentials } = services
  const client = createClient(run, 'hello', 'h')
  const { answer, exchange } = await probeTurn(client, credentials.main)
  if (!answer) throw new TargetUnreachableError(`${run.target.url} gives no answer${whyOf(exchange)}`)
  if (run.earlyStop.why !== null) return
  readClock(run, answer)
  if (doubtsCredentials && !isAccepted(answer)) await checkMainIsTaken(client, services)
  await checkOperatorWorld(client)
  await learnOwnDialect(client)
}

/** Calls under way at most: away from loopback a target is shared with others. */
const CALLS_AT_ONCE = { loopback: 64, elsewhere: 4 } as const

const FIRST_PAUSE_MS = { loopback: 50, elsewhere: 500 } as const

/** The throttle of a run, or of one of its world forks, whose limits are its own. */
export function openThrottle(run: Omit<Run, 'throttle'>, mostAtOnce?: number): Throttle {
  const { wall, signal, earlyStop, pause } = run
  const place = run.loopback ? 'loopback' : 'elsewhere'
  return createThrottle({
    ...{ wall, signal, pause },
    mostAtOnce: mostAtOnce ?? CALLS_AT_ONCE[place],
    firstPauseMs: FIRST_PAUSE_MS[place],
    targetNowMs: () => targetNowMs(run),
    isAlive: () => isAlive(run),
    onGivenUp: earlyStop.stop,
  })
}

/** One sound read, beside all turns; any answer will do. */
async function isAlive(run: Omit<Run, 'throttle'>): Promise<boolean> {
  const main = run.target.credentials.find(({ name }) => name === 'main')
  if (!main) return false
  const at = { timestampSeconds: Math.floor(targetNowMs(run) / 1_000), nonce: run.uuid() }
  const { wire } = signPlan(PROBE, main, at)
  return !isMute(await run.sender.send(wire, run.signal ? { signal: run.signal } : {}))
}

/**
 * The lists that steps ask for, of a target whose file places nothing. The runner reads them once before it judges anything:
 * as long as little is on them, they show best which value is where.
 */
export function listsToReadFirst({ dialect, operator }: Target, steps: readonly Step[]): EndpointId[] {
  // A sandbox of ours returns its places through its operator.
  if (operator?.url || Object.keys(dialect.roles).length > 0) return []
  const asked = new Set(steps.flatMap((step) => callOf(step)?.op ?? []))
  return [...asked].filter((op) => ENDPOINTS[op].openRoles !== null && ENDPOINTS[op].list !== null)
}

/** What a list that cannot be read would have shown, the scenarios see. */
export async function readListsFirst(services: Services, steps: readonly Step[]): Promise<void> {
  const { run, credentials } = services
  const client = createClient(run, 'dialect', 'l')
  try {
    for (const op of listsToReadFirst(run.target, steps))
      await converse(client, { op, plan: planOf(op), credential: credentials.main })
  } catch (error) {
    if (!isOpen(error, 'not_run', 'inconclusive')) throw error
  }
}
