import { formatInstant } from '../clock/instant.ts'
import { HEADERS } from '../contract/headers.ts'
import { TRACEPARENT, traceOf } from '../contract/trace-context.ts'
import { asSentence, jsonIn } from '../contract/words.ts'
import type { Act, LoggedCall } from '../sandbox/app/log.ts'
import { type Call, headerValues } from '../sandbox/wire/call.ts'
import type { Answer } from '../sandbox/wire/route.ts'
import { storageFailure } from '../sandbox/worlds/worlds.ts'

/**
 * One line of the request log. Texts are as they were sent: redact them before they are shown.
 *
 * @param reason why it was refused, where more is known of it than its answer says.
 */
export function summarizeLoggedCall(
  { position, call, answer, worldTimeMs, tookMs, failure, proxied }: LoggedCall,
  reason = proxied?.explained?.sentence ?? (failure ? asSentence(knownFailure(failure)) : null),
) {
  return {
    request_id: call.id,
    position,
    at: formatInstant(call.receivedAtMs),
    world_time: formatInstant(worldTimeMs),
    method: call.method,
    target: call.target,
    endpoint: call.endpoint,
    status: answer.status,
    code: codeOf(answer),
    reason: reason ?? (isRefusal(answer) ? knownReason({ call, answer }) : null),
    refused_by: isRefusal(answer) ? (call.refusedBy ?? 'request') : null,
    key_id: keyIdOf(call),
    credential: call.credential?.name ?? null,
    mishap: call.faultKind,
    fault: call.fault,
    trace_id: traceOf(headerValues(call, TRACEPARENT))?.id ?? null,
    took_ms: Math.round(tookMs * 1_000) / 1_000,
    ...(proxied && { findings: proxied.findings }),
  }
}

/** The key id that was sent, also if the call was refused before it was looked up. */
export function keyIdOf(call: Call): string | null {
  return call.keyId || headerValues(call, HEADERS.keyId)[0] || null
}

/** The code of a refusal, in whichever layout it was written; null for a success. */
export function codeOf(answer: Answer): string | null {
  return answer.status < 400 ? null : textIn(answer, 'code')
}

/** Refused is what was answered with a 4xx, whichever part of the server gave it. */
export function isRefusal({ status }: Answer): boolean {
  return status >= 400 && status < 500
}

/** What is known of a refusal without any work: its grounds, or else the message of its answer. */
function knownReason({ call, answer }: Pick<LoggedCall, 'call' | 'answer'>): string {
  return asSentence(call.grounds?.says ?? messageOf(answer) ?? `it was answered ${answer.status}`, fieldsOf(call))
}

/** What went wrong inside, for the operator: the answer says only that something did. */
export function knownFailure(failure: unknown): string {
  return storageFailure(failure) ?? `something went wrong inside the sandbox: ${String(failure)}`
}

/** Fields that the message of a refusal may begin with: names as they are sent, and no words such as `the body`. */
export function fieldsOf({ grounds }: Pick<LoggedCall['call'], 'grounds'>): string[] {
  return (grounds?.compared ?? []).map(({ name }) => name).filter((name) => !name.includes(' '))
}

/** The sentence of a refusal in whichever layout it was written, and else the first of what it lists; null if the body has none. */
export function messageOf(answer: Answer): string | null {
  return textIn(answer, 'message') ?? listedMessage(answer)
}

/** Inside a text of JSON, a quote has a backslash: what this finds is a member. */
function listedMessage({ body }: Answer): string | null {
  const [, quoted = ''] = /"message"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(body) ?? []
  return jsonIn(body) === undefined ? null : ((jsonIn(quoted) as string | undefined) ?? null)
}

interface RefusalPart {
  readonly code?: unknown
  readonly message?: unknown
}

/** @param body through a proxy, anything that another server may send. */
function textIn({ body }: Answer, member: keyof RefusalPart): string | null {
  const whole = jsonIn(body) as
    | (RefusalPart & { error?: RefusalPart; errors?: readonly RefusalPart[] })
    | null
    | undefined
  const found = [whole, whole?.error, whole?.errors?.[0]].map((part) => part?.[member] ?? null)
  const text = found.find((value) => value !== null)
  return typeof text === 'string' ? text : null
}

/** Something that an operator has changed, as lists and streams show it. */
export function presentAct(act: Act) {
  return {
    position: act.position,
    at: formatInstant(act.atMs),
    world_time: { from: formatInstant(act.fromMs), to: formatInstant(act.toMs) },
    after_request: act.afterCall,
    operation: act.operation,
    params: act.params,
    body: act.body,
  }
}
