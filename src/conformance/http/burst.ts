import type { Socket } from 'node:net'
import { sleep } from '../../clock/wall-clock.ts'
import { connect, type Deadline, type Origin, parseOrigin, startDeadline } from './connection.ts'
import type { Outcome, WireRequest } from './exchange.ts'
import { listenForAnswer } from './listen-for-answer.ts'
import { DEFAULT_MAX_BODY_BYTES } from './read-response.ts'
import { broken, DEFAULT_TIMEOUT_MS, type SenderOptions } from './send.ts'
import { requestBytes } from './write-request.ts'

export interface BurstOptions extends SenderOptions {
  /**
   * Waited for when every lane is written but for its last byte, so that the target can take in what it has; receives how
   * long the slowest lane took to connect. By default as long as that, but 20 to 500 ms.
   */
  settle?: (slowestConnectMs: number) => Promise<void>
}

export interface BurstResult {
  /** In the order of the requests. `tookMs` counts from the release, not from the bytes that were sent ahead of it. */
  outcomes: Outcome[]
  /** How many requests were wholly sent before the first byte of an answer to any other arrived. */
  overlapped: number
}

/** One request of a burst, on a connection of its own. */
interface Lane {
  /** Lets the last byte go; does nothing where no connection was had. */
  release(): void
  finished: Promise<Outcome>
  /** How long connecting took: about one round trip, or a few with TLS. */
  connectMs: number
  sentAtMs?: number
  answeredAtMs?: number
}

/**
 * Sends requests as nearly at once as one process can: all connections are opened first, each request is written but
 * for its last byte, and then all last bytes are released together. Half of the time is for getting ready: lanes that
 * are not connected by then are broken, and the others continue.
 *
 * @throws UnsendableRequestError (as a rejection) if a request is not HTTP.
 * @example const { outcomes, overlapped } = await sendBurst({ origin, wall: wallClock }, Array(8).fill(request))
 */
export async function sendBurst(options: BurstOptions, requests: readonly WireRequest[]): Promise<BurstResult> {
  const { timeoutMs = DEFAULT_TIMEOUT_MS } = options
  const origin = parseOrigin(options.origin, options.insecure ?? false)
  const written = requests.map((wire) => ({
    method: wire.method,
    bytes: requestBytes(wire, origin.authority, 'close'),
  }))
  const gettingReady = startDeadline(timeoutMs / 2)
  const whole = startDeadline(timeoutMs)
  try {
    const open = { ...options, origin, gettingReady, whole }
    const lanes = await Promise.all(written.map(({ method, bytes }) => openLane(open, method, bytes)))
    const { settle = (connectMs) => Promise.race([sleep(settleMsAfter(connectMs)), over(gettingReady)]) } = options
    await settle(Math.max(0, ...lanes.map((lane) => lane.connectMs)))
    for (const lane of lanes) lane.release()
    const outcomes = await Promise.all(lanes.map((lane) => lane.finished))
    return { outcomes, overlapped: countOverlapped(lanes) }
  } finally {
    gettingReady.release()
    whole.release()
  }
}

interface OpenOptions extends Omit<SenderOptions, 'origin'> {
  origin: Origin
  gettingReady: Deadline
  whole: Deadline
}

async function openLane(options: OpenOptions, method: string, bytes: Buffer): Promise<Lane> {
  const { wall, whole, gettingReady, maxBodyBytes = DEFAULT_MAX_BODY_BYTES } = options
  const startedMs = wall.monotonicMs()
  const connected = await connect(options.origin, gettingReady)
  const connectMs = wall.monotonicMs() - startedMs
  if ('failure' in connected) {
    return { release() {}, finished: Promise.resolve(broken(connected.failure, connectMs)), connectMs: 0 }
  }
  const { socket } = connected
  const onFirstByte = () => {
    lane.answeredAtMs = wall.monotonicMs()
  }
  const listening = listenForAnswer(socket, { method, maxBodyBytes, deadline: whole, wall, onFirstByte })
  let heldBack = false
  const lane: Lane = {
    connectMs,
    finished: listening.finished.then((conversation) => {
      socket.destroy()
      return conversation.outcome
    }),
    release() {
      if (socket.destroyed) return
      listening.sendingNow()
      socket.write(bytes.subarray(-1))
      // One byte after an empty queue is with the operating system at once; a lane that is not so far comes too late.
      if (heldBack) lane.sentAtMs = wall.monotonicMs()
    },
  }
  heldBack = await writtenInTime(socket, bytes.subarray(0, -1), gettingReady)
  return lane
}

/** Whether the operating system took the bytes before the time was over and the connection gone. */
function writtenInTime(socket: Socket, bytes: Buffer, deadline: Deadline): Promise<boolean> {
  return new Promise((resolve) => {
    if (deadline.reason !== null || socket.destroyed) return resolve(false)
    socket.once('close', () => resolve(false))
    deadline.on(() => resolve(false))
    socket.write(bytes, (error) => resolve(!error))
  })
}

const LEAST_SETTLE_MS = 20
const MOST_SETTLE_MS = 500

function settleMsAfter(connectMs: number): number {
  return Math.min(MOST_SETTLE_MS, Math.max(LEAST_SETTLE_MS, connectMs))
}

function over(deadline: Deadline): Promise<void> {
  return new Promise((resolve) => deadline.on(resolve))
}

function countOverlapped(lanes: readonly Lane[]): number {
  return lanes.filter((lane) => {
    const { sentAtMs } = lane
    if (sentAtMs === undefined) return false
    return lanes.every((other) => other === lane || (other.answeredAtMs ?? Number.POSITIVE_INFINITY) >= sentAtMs)
  }).length
}
