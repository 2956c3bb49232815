import type { IncomingMessage } from 'node:http'
import { messagesIn, type StreamMessage } from './stream-messages.ts'

/** The stream says something every 15 seconds; a connection that is silent for longer is dead. */
export const STREAM_SILENT_MS = 60_000

export function isStream({ headers }: IncomingMessage): boolean {
  return headers['content-type']?.startsWith('text/event-stream') === true
}

/** Reads server-sent events; a connection that breaks is the end like any other. */
export async function* readStream(response: IncomingMessage): AsyncGenerator<StreamMessage> {
  try {
    yield* messagesIn(response.setEncoding('utf8'))
  } catch {
    return
  }
}
