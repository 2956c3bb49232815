import type { ServerResponse } from 'node:http'
import { SECURITY_HEADERS } from './guard.ts'

/** One server-sent event. */
export interface LiveMessage {
  readonly event: string
  /** Written as JSON. */
  readonly data: unknown
}

/** Begins to tell; what it returns ends that. */
export type LiveSource = (tell: (message: LiveMessage) => void) => () => void

/** So much may wait for a client that does not read; then it is hung up on, and connects again. */
const MOST_WAITING_BYTES = 8 * 1024 * 1024

/** Sends server-sent events until the client goes away (WHATWG HTML, section 9.2). */
export function sendLive(response: ServerResponse, source: LiveSource): void {
  response.writeHead(200, { ...SECURITY_HEADERS, 'content-type': 'text/event-stream; charset=utf-8' })
  response.write(': here follows what happens\n\n')
  const stop = source(({ event, data }) => {
    response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
    if (response.writableLength > MOST_WAITING_BYTES) response.destroy()
  })
  response.once('close', stop)
}
