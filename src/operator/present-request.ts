import { formatInstant } from '../clock/instant.ts'
import { HEADERS } from '../contract/headers.ts'
import type { Act } from '../sandbox/app/act-log.ts'
import type { LoggedCall } from '../sandbox/app/request-log.ts'
import { type Call, headerValues } from '../sandbox/wire/call.ts'
import type { Answer } from '../sandbox/wire/route.ts'

/** One line of the request log. Texts are as they were sent: redact them before they are shown. */
export function summarizeLoggedCall({ position, call, answer, worldTimeMs, tookMs }: LoggedCall) {
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
    key_id: keyIdOf(call),
    credential: call.credential?.name ?? null,
    mishap: call.faultKind,
    fault: call.fault,
    took_ms: Math.round(tookMs * 1_000) / 1_000,
  }
}

/** The key id that was sent, also if the call was refused before it was looked up. */
export function keyIdOf(call: Call): string | null {
  return call.keyId || headerValues(call, HEADERS.keyId)[0] || null
}

/** The code of a refusal, in whichever layout it was written; null for a success. */
export function codeOf({ status, body }: Answer): string | null {
  if (status < 400) return null
  try {
    const { code, error, errors } = JSON.parse(body) as {
      code?: unknown
      error?: { code?: unknown }
      errors?: { code?: unknown }[]
    }
    const found = code ?? error?.code ?? errors?.[0]?.code
    return typeof found === 'string' ? found : null
  } catch {
    return null
  }
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
