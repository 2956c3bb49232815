import { randomUUID } from 'node:crypto'
import { sleep } from '../../clock/wall-clock.ts'
import { type BodyBook, createBodies } from '../context/bodies.ts'
import { createCast } from '../context/credentials.ts'
import { createHalt } from '../context/early-stop.ts'
import { createEventBook } from '../context/event-history.ts'
import { createFixtures } from '../context/fixtures.ts'
import { learnOwnDialect } from '../context/learn-own-dialect.ts'
import { closeSenders } from '../context/open-clients.ts'
import { createParams } from '../context/params.ts'
import { type Ask, type Campaign, createSpeaker, newLearnt } from '../context/run-context.ts'
import type { Desk } from '../context/scenario-run.ts'
import { probeTurn, readClock } from '../context/target-clock.ts'
import { realmOfHost, resolveName } from '../http/address.ts'
import { isAccepted } from '../http/answer.ts'
import type { Exchange } from '../http/exchange.ts'
import { createRedactor } from '../http/redact.ts'
import { createSender } from '../http/send.ts'
import { createEvidence } from '../result/evidence.ts'
import { createBudget } from '../target/budget.ts'
import { isLoopback } from '../target/raw-target.ts'
import { ordersAllowed, type Target } from '../target/target.ts'
import { createReceiver } from '../webhooks/receiver.ts'
import { checkOperatorWorld } from './check-operator.ts'
import { openTraffic } from './open-throttle.ts'
import { checkMainIsTaken } from './refused-credential.ts'
import { type RunOptions, TargetUnreachableError } from './run-options.ts'

/** Longest answer that is read. */
const MAX_BODY_BYTES = 4 * 1024 * 1024

/** What all scenarios of a run share, before anything is sent. */
export function createCampaign(options: RunOptions, exchanges: Map<string, Exchange>): Campaign {
  const { wall, onProgress } = options
  // What a sandbox of ours tells of itself is laid under the dialect; what the caller gave stays the caller's.
  const target = { ...options.target, dialect: { ...options.target.dialect } }
  const redactor = createRedactor([
    ...target.credentials.map(({ secret }) => secret),
    ...(target.operator?.token ? [target.operator.token] : []),
    ...operatorSecrets(target),
    ...(target.confided ?? []),
  ])
  const uuid = options.randomUuid ?? randomUUID
  const resolve = options.resolve ?? resolveName
  const senderOptions = { origin: target.url, timeoutMs: target.timeoutMs, maxBodyBytes: MAX_BODY_BYTES, wall, resolve }
  const budget = { ...target.budget, orders: ordersAllowed(target) }
  const campaign: Omit<Campaign, 'traffic'> = {
    target,
    registry: options.registry,
    wall,
    pause: options.pause ?? ((ms) => sleep(ms, options.signal)),
    uuid,
    signal: options.signal,
    halt: createHalt(options),
    runId: uuid().replaceAll('-', '').slice(0, 10),
    lane: '',
    sender: createSender(senderOptions),
    senderOptions,
    budget: createBudget(budget, wall, options.spent),
    receiver: target.receiver === null ? null : createReceiver({ ...target.receiver, wall }),
    redactor,
    evidence: createEvidence(),
    created: [],
    learnt: newLearnt(target),
    onExchange(scenario, exchange) {
      exchanges.set(exchange.id, exchange)
      if (options.transcript === 'all')
        onProgress?.({ kind: 'exchange', scenario, exchange: redactor.exchange(exchange) })
    },
    onWait: (scenario, why, forMs) => onProgress?.({ kind: 'waiting', scenario, why, forMs }),
    ask: options.ask && oneAtATime(options.ask),
    maxWaitMs: options.maxWaitMs ?? 0,
    loopback: isLoopback(target.url),
    targetRealm: realmOfHost(new URL(target.url).hostname, resolve),
  }
  return { ...campaign, traffic: openTraffic(campaign, options.concurrency) }
}

/** Headers of operator requests usually carry a token. */
function operatorSecrets(target: Target): string[] {
  return Object.values(target.operator?.actions ?? {}).flatMap((request) =>
    Object.entries(request?.headers ?? {}).flatMap(([name, value]) =>
      /authorization|token|key|secret/i.test(name) ? [value, value.replace(/^\w+ /, '')] : [],
    ),
  )
}

/** A person reads one question at a time, however many scenarios go on at once. */
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
 * @param bodies that a desk in the same target's world has found to be taken.
 */
export function createDesk(campaign: Campaign, bodies?: BodyBook['found']): Desk {
  const cast = createCast(campaign)
  const fixtures = createFixtures(campaign, cast)
  const events = createEventBook()
  return {
    campaign,
    cast,
    fixtures,
    events,
    bodies: createBodies(campaign, cast, fixtures, events, bodies),
    params: createParams(campaign, cast),
  }
}

/** Lets go of every connection, and of the receiver. */
export async function closeCampaign(campaign: Campaign): Promise<void> {
  campaign.sender.close()
  closeSenders(campaign)
  await campaign.receiver?.close()
}

/** The address may be right where only the certificate is not believed. */
function whyOf({ outcome }: Exchange): string {
  return outcome.kind === 'broken' && /CERT|SELF_SIGNED/.test(outcome.message) ? ` (${outcome.message})` : ''
}

/** One sound read: is anybody there, what time is it there, and are we known? */
export async function sayHello(desk: Desk, doubtsCredentials: boolean): Promise<void> {
  const { campaign, cast } = desk
  const speaker = createSpeaker(campaign, 'hello', 'h')
  const { answer, exchange } = await probeTurn(speaker, cast.main)
  if (!answer) throw new TargetUnreachableError(`${campaign.target.url} gives no answer${whyOf(exchange)}`)
  if (campaign.halt.why !== null) return
  readClock(campaign, answer)
  if (doubtsCredentials && !isAccepted(answer)) await checkMainIsTaken(speaker, desk)
  await checkOperatorWorld(speaker)
  await learnOwnDialect(speaker)
}
