import type { LookupFunction } from 'node:net'
import type { Client } from 'undici'
import { callAfterRunning, type WallClock } from '../../clock/wall-clock.ts'
import type { GapChoices } from '../../contract/choices.ts'
import { HEADERS } from '../../contract/headers.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Outbound } from '../kernel/world.ts'
import { hostOf, portOf } from './address-policy.ts'
import type { AttemptResult } from './delivery.ts'

/** Everything that goes over the wire in one attempt. */
export interface Message {
  url: string
  body: Uint8Array
  signature: string
  /** POST where it is left out. */
  method?: 'GET' | 'PUT'
  /** Beside those that every attempt has, or in their place. */
  headers?: Record<string, string>
  /** In milliseconds; the document's where it is left out. */
  deadlineMs?: number
  /** Which answers count as delivered; any 2xx where it is left out. */
  counts?: GapChoices['delivered-by']
}

/** More of an answer is not read: nothing in it matters but the status. */
const ANSWER_BYTES = 64 * 1024
const HEAD_BYTES = 16 * 1024
/** What of an answer is kept for the delivery log. */
const EXCERPT_CHARACTERS = 1_000
const MOST_INTERIM_ANSWERS = 20

/** Loads what sends; a start does not need it. */
export const loadClient = () => import('undici')

/**
 * Makes one attempt over a connection of its own. The whole of it, from the name to the last byte of the answer, has
 * five seconds of real time (HOOK-04); redirects are not followed and nothing is unpacked. Never rejects. A receiver is not late
 * because this process stood still.
 *
 * @param stopped ends the attempt early; its result is then worth nothing.
 */
export async function send(
  outbound: Outbound,
  message: Message,
  wall: WallClock,
  stopped: AbortSignal,
): Promise<AttemptResult> {
  const startedMs = wall.monotonicMs()
  const stop = new AbortController()
  const deadlineMs = message.deadlineMs ?? LIMITS.webhookTimeoutMs
  let timedOut = false
  const alarm = callAfterRunning(deadlineMs, () => {
    timedOut = true
    stop.abort(new AttemptFailure(`no whole answer in ${deadlineMs / 1_000} seconds`))
  })
  const onStopped = () => stop.abort(new AttemptFailure('the sandbox stopped'))
  stopped.addEventListener('abort', onStopped, { once: true })
  const answer: ReceiverAnswer = { status: null, encoding: null, chunks: [], bytes: 0 }
  let failure: string | null = null
  let client: Client | null = null
  try {
    if (stopped.aborted) onStopped()
    const url = new URL(message.url)
    // For an address in the URL no name is looked up, so it is judged here.
    const refusal = outbound.policy.refusalOfUrl(url)
    if (refusal) throw new AttemptFailure(refusal)
    const { Client } = await loadClient()
    client = new Client(url.origin, {
      // Only the deadline over all ends an attempt.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: HEAD_BYTES,
      connect: {
        timeout: LIMITS.webhookTimeoutMs,
        maxCachedSessions: 0,
        lookup: checkedLookup(outbound, portOf(url)),
      },
    })
    // Raced, so that no library's idea of an abort can hold an attempt longer than its time.
    await Promise.race([exchange(client, url, message, stop.signal, answer), aborted(stop.signal)])
  } catch (error) {
    failure = failureOf(error)
  } finally {
    alarm.cancel()
    stopped.removeEventListener('abort', onStopped)
    client?.destroy().catch(() => {})
  }
  return {
    status: answer.status,
    failure: failure ?? failureOfStatus(answer.status, message.counts),
    answer: excerptOf(answer),
    tookMs: wall.monotonicMs() - startedMs,
    timedOut,
  }
}

/** What has come back so far; an attempt that fails half-way still has its status. */
interface ReceiverAnswer {
  status: number | null
  encoding: string | null
  chunks: Buffer[]
  bytes: number
}

async function exchange(client: Client, url: URL, message: Message, signal: AbortSignal, answer: ReceiverAnswer) {
  let interim = 0
  const response = await client.request({
    method: message.method ?? 'POST',
    path: url.pathname + url.search,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'partner-sandbox',
      [HEADERS.signature.toLowerCase()]: message.signature,
      ...message.headers,
    },
    body: message.body,
    signal,
    reset: true,
    onInfo: () => {
      interim += 1
      if (interim > MOST_INTERIM_ANSWERS) throw new AttemptFailure('the answer never came, only interim ones')
    },
  })
  answer.status = response.statusCode
  const encoding = response.headers['content-encoding']
  answer.encoding = encoding === undefined ? null : String(encoding)
  for await (const chunk of response.body) {
    answer.chunks.push(chunk as Buffer)
    answer.bytes += (chunk as Buffer).length
    if (answer.bytes > ANSWER_BYTES) throw new AttemptFailure(`the answer is longer than ${ANSWER_BYTES} bytes`)
  }
}

/** What has come of the body, whether or not it is whole; null where nothing has. */
function excerptOf({ encoding, chunks, bytes }: ReceiverAnswer): string | null {
  if (bytes === 0) return null
  if (encoding) return `(${Math.min(bytes, ANSWER_BYTES)} bytes of ${encoding})`
  return Buffer.concat(chunks).toString('utf8', 0, ANSWER_BYTES).slice(0, EXCERPT_CHARACTERS)
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason as Error)
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })
}

/** Why an attempt failed, in words for a person. */
class AttemptFailure extends Error {
  override name = 'AttemptFailure'
}

const WORDS: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was reset',
  ENOTFOUND: 'the host name could not be resolved',
  EAI_AGAIN: 'the host name could not be resolved',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  UND_ERR_SOCKET: 'the connection was closed before the answer was whole',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer is not as long as it says',
  UND_ERR_HEADERS_OVERFLOW: 'the head of the answer is longer than 16384 bytes',
  HPE_HEADER_OVERFLOW: 'the head of the answer is longer than 16384 bytes',
}

function failureOf(error: unknown): string {
  if (error instanceof AttemptFailure) return error.message
  const { name, code = '', cause, message = '' } = error as Partial<NodeJS.ErrnoException>
  if (cause instanceof AttemptFailure) return cause.message
  // Nothing asked for it, and undici cuts the connection.
  if (code === 'UND_ERR_SOCKET' && message === 'bad response') return 'the answer began with a 100 Continue'
  if (Object.hasOwn(WORDS, code)) return WORDS[code] as string
  if (name === 'HTTPParserError') return `the answer is not valid HTTP (${code || message.slice(0, 100)})`
  if (/CERT|SELF_SIGNED|TLS|SSL/.test(code)) return `the TLS connection failed (${code})`
  return `the attempt failed (${code || message.slice(0, 100) || 'unknown'})`
}

function failureOfStatus(status: number | null, counts: Message['counts']): string | null {
  if (status === null) return 'there was no answer'
  if (counts === 'only 200' && status > 200 && status < 300) return `answered ${status}; only 200 counts here`
  if (status >= 200 && status < 300) return null
  return status >= 300 && status < 400 ? `answered ${status}; redirects are not followed` : `answered ${status}`
}

/** Resolves a name for the very connection that is made; every address it stands for must be allowed (HOOK-08). */
function checkedLookup({ policy, resolve }: Outbound, port: number): LookupFunction {
  return (name, options, done) => {
    resolve(name, (error, addresses) => {
      const [first] = addresses ?? []
      const refusal = addresses?.map(({ address }) => policy.refusal({ address, port, name })).find((said) => said)
      if (error || !first) done(error ?? new AttemptFailure('the host name stands for no address'), '', 0)
      else if (refusal) done(new AttemptFailure(refusal), '', 0)
      else if (options.all) done(null, [...addresses])
      else done(null, first.address, first.family)
    })
  }
}

/** Host and port of a URL, for summaries: paths and queries may be private. */
export function hostForPeople(url: string): string {
  const parsed = new URL(url)
  const host = hostOf(parsed)
  return `${host.includes(':') ? `[${host}]` : host}:${portOf(parsed)}`
}
