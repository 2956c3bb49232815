import type { IncomingMessage } from 'node:http'

/** A server-sent event of a world. */
export interface StreamMessage {
  event: string
  data: Record<string, unknown>
}

/** The stream says something every 15 seconds; a connection that is silent for longer is dead. */
export const STREAM_SILENT_MS = 60_000

export function isStream({ headers }: IncomingMessage): boolean {
  return headers['content-type']?.startsWith('text/event-stream') === true
}

/** Reads server-sent events (WHATWG HTML, section 9.2); a connection that breaks is the end like any other. */
export async function* readStream(response: IncomingMessage): AsyncGenerator<StreamMessage> {
  let rest = ''
  try {
    for await (const chunk of response.setEncoding('utf8')) {
      const blocks = (rest + chunk).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        const message = messageOf(block)
        if (message) yield message
      }
    }
  } catch {
    return
  }
}

/** One event, or null for a comment. */
function messageOf(block: string): StreamMessage | null {
  let event = 'message'
  const data: string[] = []
  for (const line of block.split('\n')) {
    if (line.startsWith('event: ')) event = line.slice('event: '.length)
    if (line.startsWith('data: ')) data.push(line.slice('data: '.length))
  }
  const value = recordIn(data.join('\n'))
  return value && { event, data: value }
}

/** The object in a text; null if it holds anything else. */
export function recordIn(json: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}
