import { type JsonObject, parseJson } from '../conformance/http/json-body.ts'
import { diagnoseWebhook } from '../contract/diagnosis/diagnose-webhook.ts'
import { sentenceOf } from '../contract/diagnosis/present.ts'
import { WEBHOOKS_PATH } from '../contract/endpoints/webhooks.ts'
import { HEADERS } from '../contract/headers.ts'
import { isObject } from '../contract/is-object.ts'
import { headerValues, newCall, requestIds } from '../sandbox/wire/call.ts'
import type { Worlds } from '../sandbox/worlds/worlds.ts'
import { keep } from './keep.ts'
import { Latest } from './latest.ts'
import type { PassedCall } from './pass-through.ts'

/** Judges deliveries of the target on their way to the client's receiver. */
export interface DeliveryJudge {
  /** Learns the secret from a registration that passes through; it is nowhere written down. */
  learn(passed: PassedCall): void
  /** Writes a delivery into the log, with what is wrong with its signature. */
  judge(passed: PassedCall): void
}

/** @param secret the secret of the receiver, if it is known from the start. */
export function createDeliveryJudge({ worlds, secret }: { worlds: Worlds; secret: string | null }): DeliveryJudge {
  const nextId = requestIds('hook_')
  const { coverage, clock, webhookSecrets } = worlds.main
  /** Of each event, by its id, how its deliveries have ended so far. */
  const outcomes = new Latest<{ taken: number; failed: number }>()
  let known: string | null = null
  const know = (given: string | null) => {
    if (given === null) return
    known = given
    // The log leaves it out of every call from now on.
    webhookSecrets.add(given)
  }
  know(secret)
  return {
    learn({ method, target, status, body }) {
      if (method === 'PUT' && target === WEBHOOKS_PATH && status < 300) know(secretIn(body.content()))
    },
    judge(passed) {
      const { method, target, rawHeaders, body, receivedAtMs, tookMs, status, problem } = passed
      const call = newCall({
        id: nextId(),
        receivedAtMs,
        method,
        target,
        rawHeaders,
        body: body.content(),
        endpoint: null,
        params: {},
      })
      const answer = { status, headers: {}, body: passed.answerBody.content().toString('utf8') }
      const verdict = verdictOn(passed, known)
      const findings = [verdict, ...(problem === null ? [] : [`The receiver: ${problem}.`])]
      const worldTimeMs = clock.nowMs()
      if (verdict === VALID) noteOutcome(eventIn(body.content()), status)
      keep({ call, answer, worldTimeMs, tookMs }, passed, { explained: null, findings }, { worlds, recordHeaders: [] })
    },
  }

  function noteOutcome({ id, type }: ToldEvent, status: number): void {
    const isTaken = status >= 200 && status < 300
    const before = outcomes.put(id, { taken: 0, failed: 0 }) ?? { taken: 0, failed: 0 }
    outcomes.put(id, { taken: before.taken + (isTaken ? 1 : 0), failed: before.failed + (isTaken ? 0 : 1) })
    if (!isTaken) return
    coverage.count('event', type)
    coverage.count('situation', 'delivered')
    if (before.taken === 1) coverage.count('situation', 'delivered-twice')
    if (before.taken === 0 && before.failed > 0) coverage.count('situation', 'delivered-later')
  }
}

interface ToldEvent {
  readonly id: string
  readonly type: string
}

function eventIn(body: Uint8Array): ToldEvent {
  const { id, type } = jsonMembers(body)
  return { id: String(id), type: String(type) }
}

const VALID = 'Delivery: the signature is right.'

function verdictOn({ body, rawHeaders }: PassedCall, secret: string | null): string {
  const signatures = headerValues({ rawHeaders }, HEADERS.signature)
  if (signatures.length !== 1) return `Delivery: ${HEADERS.signature} was sent ${signatures.length} times, not once.`
  if (secret === null)
    return 'Delivery: no registration has passed through, so the secret is unknown and the signature was not checked.'
  if (!body.isWhole) return 'Delivery: the body is longer than what is kept, so the signature was not checked.'
  const diagnosis = diagnoseWebhook(
    { body: body.content(), signature: signatures[0] as string, isRaw: true },
    { secret },
  )
  if (diagnosis.verdict === 'valid') return VALID
  const why = diagnosis.mistakes.length === 0 ? 'No known mistake leads to it.' : sentenceOf(diagnosis.mistakes)
  return `Delivery: the signature is wrong. ${why}`
}

function secretIn(body: Uint8Array): string | null {
  const { secret } = jsonMembers(body)
  return typeof secret === 'string' ? secret : null
}

function jsonMembers(body: Uint8Array): JsonObject {
  const json = parseJson(body)
  return isObject(json) ? json : {}
}
