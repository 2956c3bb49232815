import type { Server, ServerResponse } from 'node:http'
import { callEvery, inNextTurn } from '../clock/wall-clock.ts'
import { SECURITY_HEADERS } from './guard.ts'

/** One server-sent event. */
export interface LiveMessage {
  readonly event: string
  /** Written as JSON. */
  readonly data: unknown
}

/** A listener to server-sent events. */
export interface LiveClient {
  tell(message: LiveMessage): void
  /** Whether it has read most of what was sent; otherwise, what can wait should wait for `onRead`. */
  keepsUp(): boolean
  /** Calls back each time it has caught up, after it could not keep up. */
  onRead(callback: () => void): void
  end(): void
}

/** Begins to send; call the result to stop. */
export type LiveSource = (client: LiveClient) => () => void

/** More than this is not put before a client that is slow, where it can wait elsewhere. */
const KEEPS_UP_BYTES = 256 * 1024
/** So much may wait for a client that does not read; then it is hung up on, and may connect again. */
const MOST_WAITING_BYTES = 8 * 1024 * 1024
/** In real time: proxies and clients take a silent connection for a dead one. */
const COMMENT_EVERY_MS = 15_000

const open = new WeakMap<Server, Set<ServerResponse>>()

/** Sends server-sent events until the client goes away, the source ends or the server stops (WHATWG HTML, section 9.2). */
export function sendLive(server: Server, response: ServerResponse, source: LiveSource): void {
  const responses = open.get(server) ?? new Set()
  open.set(server, responses.add(response))
  response.writeHead(200, { ...SECURITY_HEADERS, 'content-type': 'text/event-stream; charset=utf-8' })
  response.write(': here follows what happens\n\n')
  const comments = callEvery(COMMENT_EVERY_MS, () => {
    if (isOpen(response) && response.writableLength === 0) response.write(': still here\n\n')
  })
  const stop = source(clientOf(response))
  response.once('close', () => {
    responses.delete(response)
    comments.cancel()
    stop()
  })
}

/** Ends all streams of a server in good order: before it closes its connections. */
export function endLive(server: Server): void {
  for (const response of open.get(server) ?? []) response.end()
}

function clientOf(response: ServerResponse): LiveClient {
  let isLost = false
  return {
    tell({ event, data }) {
      if (isLost || !isOpen(response)) return
      response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
      isLost = response.writableLength > MOST_WAITING_BYTES
      if (isLost) hangUpSoon(response)
    },
    keepsUp: () => !isLost && isOpen(response) && response.writableLength < KEEPS_UP_BYTES,
    onRead: (callback) => void response.on('drain', callback),
    end: () => void response.end(),
  }
}

const toHangUp: ServerResponse[] = []

/** To throw away what waits for one client takes a while, so calls are served between one and the next. */
function hangUpSoon(response: ServerResponse): void {
  if (toHangUp.push(response) === 1) inNextTurn(hangUpNext)
}

function hangUpNext(): void {
  toHangUp[0]?.destroy()
  toHangUp.shift()
  if (toHangUp.length > 0) inNextTurn(hangUpNext)
}

/** Calls that were accepted before a world ended are reported after it. A response stays `writable` even once it was ended. */
function isOpen(response: ServerResponse): boolean {
  return !response.writableEnded && !response.destroyed
}
