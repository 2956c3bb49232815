import { randomUUID } from 'node:crypto'
import { sleep } from '../../clock/wall-clock.ts'
import { isLoopback } from '../../contract/host.ts'
import { createCredentials } from '../context/credentials.ts'
import { createHistory } from '../context/event-history.ts'
import { createFixtures } from '../context/fixtures.ts'
import { MOST_BYTES_KEPT } from '../context/kept-answers.ts'
import { secretsOfOperator } from '../context/operator.ts'
import {
  Evidence,
  type History,
  type NewDomain,
  type Run,
  targetNowMs,
  UNKNOWN_CLOCK,
  UNKNOWN_PACE,
} from '../context/run.ts'
import { createDialect } from '../dialect/dialect.ts'
import { realmOfHost, resolveName } from '../http/address.ts'
import type { Exchange } from '../http/exchange.ts'
import { createRedactor } from '../http/redact.ts'
import { createSender } from '../http/send.ts'
import { isMute, Throttle } from '../http/throttle.ts'
import { whenAsked } from '../result/result.ts'
import { probeCall, signCall } from '../signing/sign-call.ts'
import { withSandboxActions } from '../target/own-sandbox.ts'
import { createBudget } from '../target/target.ts'
import { createReceiver } from '../webhooks/receiver.ts'
import type { RunOptions } from './run-options.ts'

/** Longest answer that is read. */
const MAX_BODY_BYTES = 4 * 1024 * 1024

/** A run before anything is sent. */
export function openRun(options: RunOptions, exchanges: Map<string, Exchange>): Run {
  const { wall, onProgress } = options
  const target = withSandboxActions(options.target)
  // Its address and the ids of its keys are public.
  const isPublic = (text: string) => target.url.includes(text) || target.credentials.some(({ keyId }) => keyId === text)
  const redactor = createRedactor([
    ...target.credentials.map(({ secret }) => secret),
    ...[...secretsOfOperator(target), ...(target.knownSecrets ?? [])].filter((secret) => !isPublic(secret)),
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
  return completeRun(
    {
      target,
      dialect: createDialect(target.dialect),
      registry: options.registry,
      wall,
      pause: options.pause ?? ((ms) => sleep(ms, options.signal)),
      uuid,
      signal: options.signal,
      end: createEnd(options),
      runId: uuid().replaceAll('-', '').slice(0, 10),
      copiedFrom: null,
      worldPrefix: '',
      sender: createSender(senderOptions),
      senderOptions,
      senders: new Map(),
      budget: createBudget(target.budget, wall),
      receiver: target.receiver === null ? null : createReceiver({ ...target.receiver, wall }),
      unusedHook: null,
      redactor,
      evidence: new Evidence(),
      exchangeCounts: new Map(),
      created: [],
      named: new Set<string>(),
      made: [],
      writes: [],
      calls: [],
      memory: { leftBytes: MOST_BYTES_KEPT, bodies: new Map() },
      refusals: [],
      leaks: [],
      clock: { ...UNKNOWN_CLOCK },
      pace: structuredClone(UNKNOWN_PACE),
      past: new Map(),
      onExchange(scenario, exchange) {
        if (options.transcript !== 'none') exchanges.set(exchange.id, exchange)
        if (options.transcript === 'all')
          onProgress?.({ kind: 'exchange', scenario, exchange: redactor.exchange(exchange) })
      },
      onWait: (scenario, why, forMs) => onProgress?.({ kind: 'waiting', scenario, why, forMs }),
      ask: options.ask && oneAtATime(options.ask),
      maxWaitMs: options.maxWaitMs ?? 0,
      place: isLoopback(target.url) ? 'loopback' : 'elsewhere',
      targetRealm: whenAsked(() => realmOfHost(new URL(target.url).hostname, resolve)),
    },
    { mostAtOnce: options.concurrency },
  )
}

/** Calls under way at most: away from loopback a target is shared with others. */
const CALLS_AT_ONCE = { loopback: 64, elsewhere: 4 } as const

const FIRST_PAUSE_MS = { loopback: 50, elsewhere: 500 } as const

/**
 * Gives a run, or its copy in a world fork, what works on it. Its throttle has limits of its own; credentials and fixtures are made
 * when they are first needed.
 *
 * @param given.domains those that were made for copies of the world, where the run is in one.
 */
export function completeRun(
  state: Omit<Run, 'credentials' | 'fixtures' | 'historyOf' | 'throttle'>,
  { mostAtOnce, domains }: { mostAtOnce?: number | undefined; domains?: readonly NewDomain[] },
): Run {
  const histories = new Map<string, History>()
  const credentials = whenAsked(() => createCredentials(run))
  const fixtures = whenAsked(() => createFixtures(run, domains))
  const run: Run = {
    ...state,
    throttle: new Throttle({
      wall: state.wall,
      signal: state.signal,
      pause: state.pause,
      mostAtOnce: mostAtOnce ?? CALLS_AT_ONCE[state.place],
      firstPauseMs: FIRST_PAUSE_MS[state.place],
      targetNowMs: () => targetNowMs(run),
      isAlive: () => isAlive(run),
      onGivenUp: state.end.because,
    }),
    get credentials() {
      return credentials()
    },
    get fixtures() {
      return fixtures()
    },
    historyOf(credential) {
      const known = histories.get(credential.name) ?? createHistory(credential)
      histories.set(credential.name, known)
      return known
    },
  }
  return run
}

/**
 * Ends a run when it is interrupted, after a number of failed scenarios, or for what the target does. After failures, scenarios under
 * way run to their end; after an interruption, they only clean up.
 */
function createEnd({ bail, signal }: Pick<RunOptions, 'bail' | 'signal'>): Run['end'] {
  let failed = 0
  let ended: string | null = null
  return {
    get why() {
      if (signal?.aborted) return 'the run was interrupted'
      if (bail !== undefined && failed >= bail)
        return `${failed === 1 ? 'one scenario' : `${failed} scenarios`} failed (--bail)`
      return ended
    },
    because(why) {
      ended ??= why
    },
    noteFailure() {
      failed++
    },
  }
}

/** A person reads one question at a time, however many scenarios run at once. */
function oneAtATime(ask: NonNullable<Run['ask']>): NonNullable<Run['ask']> {
  let latest: Promise<unknown> = Promise.resolve()
  return (request, scenario) => {
    const answer = latest.then(() => ask(request, scenario))
    latest = answer.catch(() => undefined)
    return answer
  }
}

/** Lets go of every connection, and of the receiver. */
export async function closeRun(run: Run): Promise<void> {
  for (const sender of [run.sender, ...run.senders.values()]) sender.close()
  await run.receiver?.close()
}

/** One valid read, beside all turns; any answer will do. */
async function isAlive(run: Run): Promise<boolean> {
  const main = run.target.credentials.find(({ name }) => name === 'main')
  if (!main) return false
  const at = { timestampSeconds: Math.floor(targetNowMs(run) / 1_000), nonce: run.uuid() }
  const { request } = signCall(probeCall(main, run.target.fixtures.unlisted), at)
  return !isMute(await run.sender.send(request, run.signal ? { signal: run.signal } : {}))
}
