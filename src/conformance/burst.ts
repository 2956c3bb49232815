import type { Socket } from 'node:net'
import { connect, type Origin, parseOrigin } from './connection.ts'
import { listenForAnswer } from './converse.ts'
import { startCutoff } from './cutoff.ts'
import type { Outcome, WireRequest } from './exchange.ts'
import { DEFAULT_MAX_BODY_BYTES } from './read-response.ts'
import { broken, DEFAULT_TIMEOUT_MS, type SenderOptions } from './send.ts'
import { requestBytes } from './write-request.ts'

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
  sentAtMs?: number
  answeredAtMs?: number
}

/**
 * Sends requests as nearly at once as one process can: all connections are opened first, each request is written but
 * for its last byte, and then all last bytes are released together. Half of the time is for getting ready: lanes that
 * are not connected by then are broken, and the others go.
 *
 * @throws UnsendableRequestError (as a rejection) where a request is no HTTP.
 * @example const { outcomes, overlapped } = await sendBurst({ origin, wall: wallClock }, Array(8).fill(request))
 */
export async function sendBurst(options: SenderOptions, requests: readonly WireRequest[]): Promise<BurstResult> {
  const { timeoutMs = DEFAULT_TIMEOUT_MS } = options
  const origin = parseOrigin(options.origin, options.insecure ?? false)
  const written = requests.map((wire) => ({
    method: wire.method,
    bytes: requestBytes(wire, origin.authority, 'close'),
  }))
  const gettingReady = startCutoff(timeoutMs / 2)
  const whole = startCutoff(timeoutMs)
  try {
    const open = { ...options, origin, gettingReady: gettingReady.signal, whole: whole.signal }
    const lanes = await Promise.all(written.map(({ method, bytes }) => openLane(open, method, bytes)))
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
  gettingReady: AbortSignal
  whole: AbortSignal
}

async function openLane(options: OpenOptions, method: string, bytes: Buffer): Promise<Lane> {
  const { wall, whole, gettingReady, maxBodyBytes = DEFAULT_MAX_BODY_BYTES } = options
  const startedMs = wall.monotonicMs()
  const connected = await connect(options.origin, gettingReady)
  if ('failure' in connected) {
    return { release() {}, finished: Promise.resolve(broken(connected.failure, wall.monotonicMs() - startedMs)) }
  }
  const { socket } = connected
  const onFirstByte = () => {
    lane.answeredAtMs = wall.monotonicMs()
  }
  const listening = listenForAnswer(socket, { method, maxBodyBytes, cutoff: whole, wall, onFirstByte })
  const lane: Lane = {
    finished: listening.finished.then((conversation) => {
      socket.destroy()
      return conversation.outcome
    }),
    release() {
      listening.sendingNow()
      write(socket, bytes.subarray(-1), () => {
        lane.sentAtMs = wall.monotonicMs()
      })
    },
  }
  await writtenOrCut(socket, bytes.subarray(0, -1), gettingReady)
  return lane
}

/** Waits until the bytes are with the operating system, or the connection is gone, or the time is over. */
function writtenOrCut(socket: Socket, bytes: Buffer, cutoff: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    socket.once('close', resolve)
    cutoff.addEventListener('abort', () => resolve(), { once: true })
    if (cutoff.aborted || socket.destroyed) return resolve()
    write(socket, bytes, resolve)
  })
}

function write(socket: Socket, bytes: Buffer, written: () => void): void {
  if (socket.destroyed) return
  socket.write(bytes, (error) => {
    if (!error) written()
  })
}

function countOverlapped(lanes: readonly Lane[]): number {
  return lanes.filter((lane) => {
    const { sentAtMs } = lane
    if (sentAtMs === undefined) return false
    return lanes.every((other) => other === lane || (other.answeredAtMs ?? Number.POSITIVE_INFINITY) >= sentAtMs)
  }).length
}
