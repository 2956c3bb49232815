import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { callAfter, type WallClock } from '../../clock/wall-clock.ts'
import type { Broken, Reply } from './exchange.ts'
import { parseJson } from './json-body.ts'

export const DEFAULT_TIMEOUT_MS = 10_000
export const DEFAULT_MAX_BODY_BYTES = 1024 * 1024
const MAX_INTERIM_ANSWERS = 100

export interface AnswerOptions {
  wall: WallClock
  /** For the whole exchange, connecting included: a target that drips could keep an idle timer alive. Default 10 s. */
  timeoutMs?: number | undefined
  /** Longest body that is read; a longer one is broken as `too-large`. Default 1 MiB. */
  maxBodyBytes?: number | undefined
  signal?: AbortSignal | undefined
  /** When the exchange began, for its duration; unless given, when the connection was there. */
  beganAtMs?: () => number
  /** Called once, when the first byte of the answer is there. */
  onFirstByte?: () => void
}

/**
 * Resolves with what came of a request, however it ends. Node's parser refuses what could be read in two ways; the limits are ours.
 * A connection on which something is still to come or to be written is closed.
 */
export function awaitAnswer(request: ClientRequest, options: AnswerOptions): Promise<Reply> {
  const { wall, timeoutMs = DEFAULT_TIMEOUT_MS, maxBodyBytes = DEFAULT_MAX_BODY_BYTES, signal } = options
  return new Promise((resolve) => {
    let stage: 'connecting' | 'waiting' | 'answered' = 'connecting'
    let sinceMs = wall.monotonicMs()
    let interimAnswers = 0
    let answer: IncomingMessage | undefined
    const body = new BodySink()

    const tookMs = () => wall.monotonicMs() - (options.beganAtMs?.() ?? sinceMs)
    const settle = (came: Pick<Reply, 'answer' | 'broken'>): void => {
      alarm.cancel()
      signal?.removeEventListener('abort', stop)
      request.socket?.off('data', onFirstByte)
      // An answer may come before the whole request was taken; what is still to be written would lead the next one.
      if (came.broken || !request.writableFinished) request.destroy()
      resolve({ ...came, tookMs: tookMs() })
    }
    const fail = (reason: Broken['reason'], message: string): void => {
      const stale = reason === 'reset' && request.reusedSocket && stage !== 'answered'
      settle({ answer: null, broken: { reason, message, ...(stale && { stale }) } })
    }
    const onError = (error: NodeJS.ErrnoException): void => {
      // What comes after a complete answer makes the connection useless, and not the answer.
      if (answer?.complete) return
      const { code = '', message, syscall } = error
      if (code === 'HPE_HEADER_OVERFLOW') fail('too-large', 'its header block is longer than 65536 bytes')
      else if (code.startsWith('HPE_')) fail('malformed', `${message.replace(/^Parse Error: /, '')} (${code})`)
      else if (stage === 'connecting') fail('unreachable', `no connection: ${code || message}`)
      else if (syscall) fail('reset', `the connection was lost before the answer was complete: ${code}`)
      else fail('reset', 'the connection was closed before the answer was complete')
    }
    const onConnection = (): void => {
      stage = 'waiting'
      sinceMs = wall.monotonicMs()
    }
    const onFirstByte = (): void => {
      stage = 'answered'
      options.onFirstByte?.()
    }
    const onBodyTooLong = (): void => fail('too-large', `its body is longer than ${maxBodyBytes} bytes`)
    const stop = (): void => fail('timeout', 'the run was stopped')
    const alarm = callAfter(timeoutMs, () => fail('timeout', `no complete answer within ${timeoutMs} ms`))

    request.on('error', onError)
    request.on('socket', (socket: Socket) => {
      if (request.reusedSocket) onConnection()
      else socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', onConnection)
      socket.once('data', onFirstByte)
    })
    request.on('information', () => {
      if (++interimAnswers > MAX_INTERIM_ANSWERS) fail('malformed', `more than ${MAX_INTERIM_ANSWERS} interim answers`)
    })
    request.on('upgrade', () => fail('malformed', 'it switches to a protocol that was not requested'))
    request.on('response', (message) => {
      answer = message
      message.on('error', onError)
      if (request.method !== 'HEAD' && Number(message.headers['content-length']) > maxBodyBytes) onBodyTooLong()
      message.on('data', (piece: Buffer) => {
        body.add(piece)
        if (body.length > maxBodyBytes) onBodyTooLong()
      })
      message.on('end', () => {
        const { statusCode: status = 0, rawHeaders } = message
        if (!message.complete) return
        const bytes = body.bytes()
        settle({
          answer: { op: null, status, headers: pairsOf(rawHeaders), body: bytes, json: parseJson(bytes) },
          broken: null,
        })
      })
    })
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop)
  })
}

/** Names and values, as they came, in pairs. */
function pairsOf(inTurn: readonly string[]): (readonly [name: string, value: string])[] {
  return Array.from({ length: inTurn.length / 2 }, (_, n) => [inTurn[2 * n] ?? '', inTurn[2 * n + 1] ?? ''] as const)
}

/** Gathers a body into one growing buffer: a million chunks of one byte must not become a million objects. */
class BodySink {
  #buffer = Buffer.alloc(0)
  length = 0

  add(piece: Buffer): void {
    const needed = this.length + piece.length
    if (needed > this.#buffer.length) {
      const grown = Buffer.allocUnsafe(Math.max(needed, this.#buffer.length * 2))
      this.#buffer.copy(grown, 0, 0, this.length)
      this.#buffer = grown
    }
    piece.copy(this.#buffer, this.length)
    this.length = needed
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.length)
  }
}
