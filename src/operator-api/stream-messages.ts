import { isObject } from '../contract/is-object.ts'
import { jsonIn } from '../contract/words.ts'

/** A server-sent event of a world. */
export interface StreamMessage {
  event: string
  data: Record<string, unknown>
}

/**
 * Reads server-sent events (WHATWG HTML, section 9.2).
 *
 * @returns takes the next piece of text, and gives the events that are complete with it.
 */
export function messageReader(): (text: string) => StreamMessage[] {
  let rest = ''
  return (text) => {
    const blocks = (rest + text).split('\n\n')
    rest = blocks.pop() ?? ''
    return blocks.map(messageOf).filter((message) => message !== null)
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
  const value = jsonIn(json)
  return isObject(value) ? value : null
}
