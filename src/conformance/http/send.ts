import type { Socket } from 'node:net'
import type { WallClock } from '../../clock/wall-clock.ts'
import { type Resolve, resolveName } from './address.ts'
import { connect, type Deadline, type Failure, guardedLookup, parseOrigin, startDeadline } from './connection.ts'
import type { Outcome, WireRequest } from './exchange.ts'
import { type Conversation, listenForAnswer } from './listen-for-answer.ts'
import { DEFAULT_MAX_BODY_BYTES } from './read-response.ts'
import { asksToClose, requestBytes } from './write-request.ts'

export const DEFAULT_TIMEOUT_MS = 10_000

/** A write must not be lost in a connection that the target is about to close, since it may not be sent again. */
const MAX_IDLE_MS_FOR_WRITES = 100

export interface SenderOptions {
  /** Scheme, host and port of the target; anything more is refused. */
  origin: string
  /** For a whole request, connecting included. Default 10 s. */
  timeoutMs?: number
  /** Longest body that is read; a longer one is broken as `too-large`. Default 1 MiB. */
  maxBodyBytes?: number
  /** Takes any certificate. Default false. */
  insecure?: boolean
  wall: WallClock
  /** Whether a connection may be opened to an address that the host's name stands for; absent for any. */
  mayReach?: (address: string) => boolean
  /** How names are resolved where `mayReach` is given; the machine's way unless given. */
  resolve?: Resolve
}

export interface SendOptions {
  timeoutMs?: number
  signal?: AbortSignal | undefined
  /** On a connection of its own: for calls that must not be lost and must not be sent again. */
  fresh?: boolean
}

/** Sends requests byte for byte to one origin: nothing is normalized, followed, inflated or stored. */
export interface Sender {
  /**
   * Answers with an outcome for everything that the target does; rejects only with UnsendableRequestError. No request goes out
   * twice: a caller that meets a `stale` connection signs again.
   */
  send(request: WireRequest, options?: SendOptions): Promise<Outcome>
  /** Closes the idle connections. */
  close(): void
}

/**
 * @throws TypeError if the origin is not one.
 * @example const sender = createSender({ origin: 'http://127.0.0.1:4600', wall: wallClock })
 */
export function createSender(options: SenderOptions): Sender {
  const { wall, timeoutMs = DEFAULT_TIMEOUT_MS, maxBodyBytes = DEFAULT_MAX_BODY_BYTES } = options
  const { mayReach, resolve = resolveName } = options
  const origin = {
    ...parseOrigin(options.origin, options.insecure ?? false),
    ...(mayReach && { lookup: guardedLookup(mayReach, resolve) }),
  }
  const pool = createIdlePool(wall)
  let closed = false

  async function converse(socket: Socket, bytes: Buffer, wire: WireRequest, deadline: Deadline): Promise<Conversation> {
    const listening = listenForAnswer(socket, { method: wire.method, maxBodyBytes, deadline, wall })
    listening.sendingNow()
    if (!socket.destroyed) socket.write(bytes)
    const conversation = await listening.finished
    if (conversation.reusable && !closed && !asksToClose(wire)) pool.put(socket)
    else socket.destroy()
    return conversation
  }

  async function sendWithin(wire: WireRequest, bytes: Buffer, deadline: Deadline, fresh: boolean): Promise<Outcome> {
    const isRead = wire.method === 'GET' || wire.method === 'HEAD'
    const used = fresh ? undefined : pool.take(isRead ? Number.POSITIVE_INFINITY : MAX_IDLE_MS_FOR_WRITES)
    if (used) {
      const { outcome, closedUnanswered } = await converse(used, bytes, wire, deadline)
      if (!closedUnanswered || outcome.kind === 'response') return outcome
      // The others have waited as long.
      pool.close()
      return { ...outcome, stale: true }
    }
    const startedMs = wall.monotonicMs()
    const connected = await connect(origin, deadline)
    if ('failure' in connected) return broken(connected.failure, wall.monotonicMs() - startedMs)
    return (await converse(connected.socket, bytes, wire, deadline)).outcome
  }

  return {
    async send(wire, { timeoutMs: ownTimeoutMs = timeoutMs, signal, fresh = false } = {}) {
      const bytes = requestBytes(wire, origin.authority, 'keep-alive')
      const deadline = startDeadline(ownTimeoutMs, signal)
      try {
        return await sendWithin(wire, bytes, deadline, fresh)
      } finally {
        deadline.release()
      }
    },
    close() {
      closed = true
      pool.close()
    },
  }
}

/** The outcome of a request that never had a connection. */
export function broken(failure: Failure, tookMs: number): Outcome {
  return { kind: 'broken', ...failure, tookMs }
}

const MAX_IDLE_SOCKETS = 8
/** Shorter than the five seconds after which common servers close an idle connection. */
const MAX_IDLE_MS = 4_000

/** Open connections that wait for their next request. */
interface IdlePool {
  /** The connection that was used last, if it has been idle no longer than this. */
  take(maxIdleMs: number): Socket | undefined
  put(socket: Socket): void
  close(): void
}

/** A pool of few connections to one origin. A connection on which anything happens while it is idle is thrown away. */
function createIdlePool(wall: WallClock): IdlePool {
  const idle: { socket: Socket; sinceMs: number; discard: () => void }[] = []

  const remove = (index: number) => {
    const [entry] = idle.splice(index, 1)
    if (!entry) return undefined
    for (const event of IDLE_EVENTS) entry.socket.off(event, entry.discard)
    return entry.socket
  }

  const discardOlderThan = (ageMs: number) => {
    const nowMs = wall.monotonicMs()
    while (idle[0] && nowMs - idle[0].sinceMs > ageMs) giveUp(remove(0))
  }

  return {
    take(maxIdleMs) {
      discardOlderThan(MAX_IDLE_MS)
      const freshest = idle.at(-1)
      if (!freshest || wall.monotonicMs() - freshest.sinceMs > maxIdleMs) return undefined
      return remove(idle.length - 1)?.ref()
    },
    put(socket) {
      const discard = () => giveUp(remove(idle.findIndex((entry) => entry.socket === socket)))
      for (const event of IDLE_EVENTS) socket.on(event, discard)
      idle.push({ socket: socket.unref(), sinceMs: wall.monotonicMs(), discard })
      if (idle.length > MAX_IDLE_SOCKETS) giveUp(remove(0))
    },
    close() {
      while (idle.length > 0) giveUp(remove(0))
    },
  }
}

const IDLE_EVENTS = ['data', 'end', 'error', 'close'] as const

function giveUp(socket: Socket | undefined): void {
  socket?.on('error', () => {}).destroy()
}
