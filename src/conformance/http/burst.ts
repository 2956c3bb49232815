import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'
import { sleep } from '../../clock/wall-clock.ts'
import type { Reply, WireRequest } from './exchange.ts'
import {
  awaitAnswer,
  DEFAULT_TIMEOUT_MS,
  openConnection,
  parseOrigin,
  type SenderOptions,
  startRequest,
} from './send.ts'

interface BurstResult {
  /** In the order of the requests. `tookMs` counts from the release, not from the bytes that were sent ahead of it. */
  replies: Reply[]
  /** How many requests were wholly sent before the first byte of an answer to any other arrived. */
  overlapped: number
}

/**
 * Sends requests as nearly at once as one process can: each gets a connection of its own and is written but for its last byte, and
 * then all last bytes are released together. Half of the time is for getting ready: a lane that is not written by then does not
 * count as overlapped.
 *
 * @param options.settle waited for when every lane is written but for its last byte, so that the target can take in what it has;
 *   receives how long the slowest lane took to connect. By default as long as that, but 20 to 500 ms.
 * @throws UnsendableRequestError (as a rejection) if a request is not HTTP.
 * @example const { replies, overlapped } = await sendBurst({ origin, wall: wallClock }, Array(8).fill(request))
 */
export async function sendBurst(
  options: SenderOptions & { settle?: (slowestConnectMs: number) => Promise<void> },
  requests: readonly WireRequest[],
): Promise<BurstResult> {
  const {
    timeoutMs = DEFAULT_TIMEOUT_MS,
    settle = (ms) => sleep(Math.min(MOST_SETTLE_MS, Math.max(LEAST_SETTLE_MS, ms))),
  } = options
  const origin = parseOrigin(options.origin, options.insecure ?? false)
  const lanes = requests.map((wire) => openLane(options, origin, wire))
  const written = new AbortController()
  await Promise.race([Promise.all(lanes.map((lane) => lane.written)), sleep(timeoutMs / 2, written.signal)])
  written.abort()
  await settle(Math.max(0, ...lanes.map((lane) => lane.connectMs)))
  for (const lane of lanes) lane.release()
  const replies = await Promise.all(lanes.map((lane) => lane.finished))
  return { replies, overlapped: countOverlapped(lanes) }
}

/** One request of a burst, on a connection of its own. */
interface Lane {
  /** Resolves when all but the last byte is with the operating system, or the lane is broken. */
  written: Promise<unknown>
  /** Lets the last byte go. */
  release(): void
  finished: Promise<Reply>
  /** How long connecting took: about one round trip, or a few with TLS. */
  connectMs: number
  sentAtMs: number | null
  answeredAtMs: number | null
}

function openLane(options: SenderOptions, origin: ReturnType<typeof parseOrigin>, wire: WireRequest): Lane {
  const { wall } = options
  const openedAtMs = wall.monotonicMs()
  const connection = new HeldBackConnection()
  const request = startRequest(wire, origin.authority, {
    createConnection: () => connection.over(openConnection(origin)),
  })
  const finished = awaitAnswer(request, {
    ...options,
    beganAtMs: () => lane.sentAtMs ?? openedAtMs,
    onFirstByte() {
      lane.answeredAtMs = wall.monotonicMs()
    },
  })
  connection.once('connect', () => {
    lane.connectMs = wall.monotonicMs() - openedAtMs
  })
  void finished.then(() => connection.destroy())
  const lane: Lane = {
    written: Promise.race([new Promise((resolve) => request.once('finish', resolve)), finished]),
    release() {
      // One byte after an empty queue is with the operating system at once; a lane that is not so far comes too late.
      if (request.writableFinished && !connection.destroyed) lane.sentAtMs = wall.monotonicMs()
      connection.release()
    },
    finished,
    connectMs: 0,
    sentAtMs: null,
    answeredAtMs: null,
  }
  request.end(wire.body)
  return lane
}

/** A connection that keeps back the last byte of what it was given until that is released. */
class HeldBackConnection extends Duplex {
  #socket: Socket | undefined
  #lastByte = Buffer.alloc(0)

  /** Leads to this socket from now on. */
  over(socket: Socket): this {
    this.#socket = socket
    socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', () => this.emit('connect'))
    socket.on('data', (bytes) => this.push(bytes))
    socket.on('end', () => this.push(null))
    socket.on('error', (error) => this.destroy(error))
    socket.on('close', () => this.destroy())
    return this
  }

  release(): void {
    if (this.#socket?.writable) this.#socket.write(this.#lastByte)
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    const all = Buffer.concat([this.#lastByte, bytes])
    this.#lastByte = all.subarray(-1)
    this.#socket?.write(all.subarray(0, -1), done)
  }

  override _read(): void {
    // The socket gives what comes, which is no more than the limit of a body.
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#socket?.destroy()
    done(error)
  }
}

const LEAST_SETTLE_MS = 20
const MOST_SETTLE_MS = 500

function countOverlapped(lanes: readonly Lane[]): number {
  return lanes.filter(({ sentAtMs }, sent) => {
    if (sentAtMs === null) return false
    return lanes.every(({ answeredAtMs }, other) => other === sent || answeredAtMs === null || answeredAtMs >= sentAtMs)
  }).length
}
