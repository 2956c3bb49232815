/** A server-sent event of a world. */
export interface StreamMessage {
  event: string
  data: Record<string, unknown>
}

/** Server-sent events (WHATWG HTML, section 9.2) in pieces of text as they come. */
export async function* messagesIn(texts: AsyncIterable<string>): AsyncGenerator<StreamMessage> {
  let rest = ''
  for await (const text of texts) {
    const blocks = (rest + text).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const message = messageOf(block)
      if (message) yield message
    }
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
