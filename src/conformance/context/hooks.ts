import { isDeepStrictEqual } from 'node:util'
import { diagnoseWebhook } from '../../contract/diagnosis/diagnose-webhook.ts'
import type { OtherSecret } from '../../contract/diagnosis/key-mistakes.ts'
import { explainSignatureForm } from '../../contract/diagnosis/signature-header.ts'
import { HEADERS, headerIn } from '../../contract/headers.ts'
import { signWebhook } from '../../contract/signature.ts'
import type { DeliveryFacts } from '../format/roles.ts'
import type { Scenario } from '../format/scenario.ts'
import { callOf } from '../format/step-facts.ts'
import { compare, referencesIn, shown } from '../format/values.ts'
import { isAccepted } from '../http/exchange.ts'
import { atPath, parseJson } from '../http/json-body.ts'
import { Open } from '../result/open.ts'
import type { Delivery, Hook } from '../webhooks/receiver.ts'
import type { CallExchange, HistoryEvent, Run } from './run.ts'

/** What `${receiver.NAME}` may be, beside the names of hooks: facts of the hook main. */
const FACTS = ['url', 'secret']

/** The hooks that a scenario names; none if it does not use the receiver. */
export function hookNames(scenario: Scenario): string[] {
  const steps = [...scenario.steps, ...(scenario.cleanup ?? [])]
  const names = new Set<string>()
  for (const [first, second] of referencesIn([steps, scenario.vars])) {
    if (first === 'receiver') names.add(FACTS.includes(String(second)) ? 'main' : String(second))
  }
  for (const { hook, events } of steps) {
    if (hook) names.add(hook.name ?? 'main')
    if (events?.hook !== undefined) names.add(events.hook)
  }
  // What a webhooks.put registers if it names no URL.
  if (names.size > 0 && steps.some((step) => callOf(step)?.op === 'webhooks.put')) names.add('main')
  return [...names]
}

/** @throws Open (not_run) if the run has no receiver. */
export async function openHooks(run: Run, scenario: Scenario): Promise<Map<string, Hook>> {
  const hooks = new Map<string, Hook>()
  for (const name of hookNames(scenario)) hooks.set(name, await openHook(run, name))
  return hooks
}

async function openHook({ receiver, redactor }: Run, name: string): Promise<Hook> {
  if (!receiver) throw Open.notRun('needs-receiver', NO_RECEIVER)
  const hook = await hookAt(receiver, name)
  redactor.add(hook.secret)
  return hook
}

/** @throws Open (not_run) if the receiver cannot listen on its address. */
export function hookAt(receiver: NonNullable<Run['receiver']>, name: string): Promise<Hook> {
  return receiver.openHook(name).catch((error: NodeJS.ErrnoException) => {
    throw Open.notRun('needs-receiver', `the receiver cannot listen on its address (${error.code})`)
  })
}

export const NO_RECEIVER =
  'no receiver is configured, so the target cannot deliver to this run; add receiver to the target file'

/** Keeps in mind under which secret one of our hooks has been registered. */
export function noteRegistration({ receiver, redactor, wall, target }: Run, exchange: CallExchange): void {
  if (!isAccepted(exchange.answer)) return
  const body = parseJson(exchange.call.body ?? new Uint8Array())
  const [url, secret] = [atPath(body, 'url'), atPath(body, 'secret')]
  if (typeof url !== 'string' || typeof secret !== 'string') return
  redactor.add(secret)
  const partner = target.credentials.find(({ name }) => name === exchange.call.credential.name)?.partner
  receiver?.hookAt(url)?.register({ secret, partner, sentAtMs: exchange.sentAtMs, acceptedAtMs: wall.nowMs() })
}

/** An event, and the delivery that has brought it. */
interface Received {
  event: HistoryEvent
  from: Delivery
}

/**
 * Every delivery at a hook, in the order of its arrival.
 *
 * @param secretsAt the secrets that a delivery may be signed under that arrives then.
 */
export function receivedEvents(
  hook: Hook,
  secretsAt: (atMs: number) => string[],
  others: readonly OtherSecret[],
): Received[] {
  const all = hook.deliveries
  return all.map((delivery, position) => {
    const id = idOf(delivery)
    const ofThisEvent = id === '' ? [delivery] : all.filter((other) => idOf(other) === id)
    const secrets = secretsAt(delivery.atMs)
    const older = hook.registrations.map(({ secret }) => ({ secret, whose: 'a secret registered at another time' }))
    const facts = factsOf(delivery, ofThisEvent, secrets)
    const event: HistoryEvent = {
      id,
      type: String(atPath(delivery.json, 'type') ?? ''),
      json: delivery.json,
      position,
      delivery: facts,
      explain: (path) =>
        path === 'delivery.signed' && !facts.signed ? whyUnsigned(delivery, secrets, [...older, ...others]) : undefined,
    }
    return { event, from: delivery }
  })
}

/** A delivery that is also compared with the event of the same id in the history. */
export function besideHistory({ event, from }: Received, history: readonly HistoryEvent[]): HistoryEvent {
  const difference = differenceFrom(history, from)
  return {
    ...event,
    ...(event.delivery && { delivery: { ...event.delivery, in_history: difference === null } }),
    explain: (path) => (path === 'delivery.in_history' ? (difference ?? undefined) : event.explain?.(path)),
  }
}

function idOf({ json }: Delivery): string {
  return String(atPath(json, 'id') ?? '')
}

function factsOf(delivery: Delivery, ofThisEvent: readonly Delivery[], secrets: readonly string[]): DeliveryFacts {
  const { ending } = delivery
  const signature = headerIn(delivery.headers, HEADERS.signature)
  const givenUp = ending?.kind === 'given-up'
  return {
    method: delivery.method,
    query: delivery.target.split('?').slice(1).join('?'),
    at: new Date(delivery.atMs).toISOString(),
    headers: Object.fromEntries([...delivery.headers].reverse().map(([name, value]) => [name.toLowerCase(), value])),
    body: delivery.body.toString('utf8'),
    ...(signature === undefined ? {} : { signature }),
    signed: isSigned(delivery, secrets),
    attempt: ofThisEvent.indexOf(delivery) + 1,
    attempts: ofThisEvent.length,
    ...(ending?.kind === 'answered' ? { answered: ending.status } : {}),
    given_up: givenUp,
    ...(givenUp ? { given_up_after_ms: ending.afterMs } : {}),
    counted_as_failed: givenUp || isTriedAgain(delivery, ofThisEvent),
  }
}

/** A copy that comes while the first is still under way does not show how that one was taken. */
function isTriedAgain({ ending, arrivedMs }: Delivery, ofThisEvent: readonly Delivery[]): boolean {
  return (
    ending !== null &&
    ofThisEvent.some((other) => other.arrivedMs >= arrivedMs + ending.afterMs && other.arrivedMs > arrivedMs)
  )
}

/** What differs between a delivery and the history; null if they agree (HOOK-10). */
function differenceFrom(history: readonly HistoryEvent[], delivery: Delivery): string | null {
  const id = idOf(delivery)
  const event = history.find((candidate) => candidate.id === id)
  if (!event) return `the history has no event ${shown(id)}`
  for (const key of ['type', 'created_at', 'data'] as const) {
    const [delivered, kept] = [atPath(delivery.json, key), atPath(event.json, key)]
    const alike = key === 'created_at' ? compare(delivered, kept) === 0 : isDeepStrictEqual(delivered, kept)
    if (!alike) return `${key} was delivered as ${shown(delivered)} and is ${shown(kept)} in the history`
  }
  return null
}

/** Whether a delivery carries the signature of the document under one of these secrets, and nothing else (HOOK-02). */
function isSigned(delivery: Delivery, secrets: readonly string[]): boolean {
  const value = headerIn(delivery.headers, HEADERS.signature)
  return secrets.some((secret) => value === signWebhook(secret, delivery.body))
}

/**
 * What the target probably did wrong when it signed a delivery: known mistakes, alone and together.
 *
 * @param others secrets that it may have used instead.
 * @example whyUnsigned(delivery, ['whsec_1'], []) // 'the signature has a prefix; that of a delivery is the hex digest alone'
 */
function whyUnsigned(delivery: Delivery, secrets: readonly string[], others: readonly OtherSecret[]): string {
  const signature = headerIn(delivery.headers, HEADERS.signature)
  if (signature === undefined) return `the ${HEADERS.signature} header is missing`
  const secret = secrets[0]
  if (secret === undefined) return 'no secret has been registered for this address'
  const { body, target } = delivery
  const arrived = {
    body,
    signature,
    target,
    timestamps: timesOf(delivery),
    nonce: headerIn(delivery.headers, HEADERS.nonce) ?? '',
  }
  const { mistakes } = diagnoseWebhook({ ...arrived, isRaw: true }, { secret, others })
  if (mistakes.length > 0) return mistakes.map(({ says }) => says).join('; ')
  return explainSignatureForm(signature, 'webhook')?.says ?? 'no known mistake leads to this signature'
}

function timesOf({ headers, json }: Delivery): string[] {
  const stamps = headers.map(([, value]) => value).filter((value) => /^\d{10}(\d{3})?$/.test(value))
  const createdAt = atPath(json, 'created_at')
  return typeof createdAt === 'string' ? [...stamps, createdAt] : stamps
}
