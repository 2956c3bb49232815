import type { Explained } from '../contract/diagnosis/explained.ts'
import { HEADERS, headerPairsOf, type RawHeaders } from '../contract/headers.ts'
import type { Exchange } from '../sandbox/wire/route.ts'
import type { Worlds } from '../sandbox/worlds/worlds.ts'
import type { PassedCall } from './pass-through.ts'

/** Headers that hold no secret and name no person. */
const HARMLESS: ReadonlySet<string> = new Set([
  ...[HEADERS.keyId, HEADERS.timestamp, HEADERS.nonce, HEADERS.idempotencyKey, HEADERS.requestId].map(lower),
  ...[HEADERS.retryAfter, HEADERS.idempotentReplayed].map(lower),
  ...['accept', 'accept-encoding', 'content-encoding', 'content-length', 'content-type', 'date', 'expect', 'host'],
  ...['traceparent', 'transfer-encoding', 'user-agent', 'x-partner-sandbox-proxy'],
])

/** Writes a call into the log, without secrets, signature and headers that may hold something private. */
export function keep(
  { call, answer, worldTimeMs, tookMs }: Exchange,
  { body, answerHeaders }: PassedCall,
  { explained, findings }: { explained: Explained | null; findings: readonly string[] },
  { worlds, recordHeaders }: { worlds: Worlds; recordHeaders: readonly string[] },
): void {
  const { log, feed } = worlds.main
  const redact = worlds.redactor()
  const isKept = (name: string) => HARMLESS.has(lower(name)) || recordHeaders.includes(lower(name))
  const cleaned = (bytes: Uint8Array) => redact.bytes(bytes)
  const kept = cleaned(call.body)
  const answerBody = Buffer.from(cleaned(Buffer.from(answer.body))).toString('utf8')
  const isTelling = answerBody !== answer.body
  const harmless = (headers: RawHeaders) => headerPairsOf(headers).filter(([name]) => isKept(name))
  const entry = log.add({
    call: {
      ...call,
      target: redact.text(call.target),
      rawHeaders: harmless(call.rawHeaders).flat(),
      body: kept,
      signature: '',
    },
    answer: {
      status: answer.status,
      headers: Object.fromEntries(harmless(answerHeaders).map(([name, value]) => [spelled(name), value])),
      body: answerBody,
    },
    worldTimeMs,
    tookMs,
    failure: undefined,
    proxied: {
      explained,
      findings: isTelling ? [...findings, 'The answer shows a secret, which the log leaves out.'] : findings,
      bodyBytes: body.bytes,
      isBodyWhole: body.isWhole && Buffer.compare(kept, call.body) === 0,
    },
  })
  feed.publish({ kind: 'request', entry })
}

/** Headers that coverage and log look for are spelled as in the document. */
export function spelled(name: string): string {
  return Object.values(HEADERS).find((known) => lower(known) === lower(name)) ?? name
}

function lower(text: string): string {
  return text.toLowerCase()
}
