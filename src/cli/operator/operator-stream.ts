import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import {
  addressOf,
  headersOf,
  isRecord,
  type OperatorAddress,
  parse,
  refusalOf,
  unreachable,
} from './operator-client.ts'

/** A server-sent event of a world. */
export interface StreamMessage {
  event: string
  data: Record<string, unknown>
}

/** The stream says something every 15 seconds; a connection that is silent for longer is dead. */
const SILENT_MS = 60_000

/**
 * Listens to a stream of the operator API until it ends or nobody wants it any more.
 *
 * @param told called for each message, one after the other.
 * @returns who ended it.
 * @throws OperatorRefusal where there is no such stream; CliError where nobody answers.
 */
export async function followStream(
  at: OperatorAddress,
  path: string,
  told: (message: StreamMessage) => void | Promise<void>,
  stop: AbortSignal,
): Promise<'stopped' | 'ended'> {
  if (stop.aborted) return 'stopped'
  const { outgoing, answered } = begin(at, path)
  const hangUp = () => outgoing.destroy()
  stop.addEventListener('abort', hangUp, { once: true })
  try {
    await readAll(at, await answered, told)
  } catch (error) {
    if (!stop.aborted) throw error
  } finally {
    stop.removeEventListener('abort', hangUp)
    hangUp()
  }
  return stop.aborted ? 'stopped' : 'ended'
}

function begin(at: OperatorAddress, path: string): { outgoing: ClientRequest; answered: Promise<IncomingMessage> } {
  const url = addressOf(at.url)
  const outgoing = httpRequest({
    ...{ host: url.hostname.replace(/^\[|\]$/g, ''), port: url.port || 80, path, timeout: SILENT_MS, agent: false },
    headers: { ...headersOf(url, at.token, undefined), accept: 'text/event-stream' },
  })
  outgoing.on('timeout', () => outgoing.destroy())
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.on('response', resolve)
    outgoing.on('error', (error) => reject(unreachable(at.url, error)))
  })
  outgoing.end()
  return { outgoing, answered }
}

async function readAll(
  at: OperatorAddress,
  response: IncomingMessage,
  told: (message: StreamMessage) => void | Promise<void>,
) {
  const isStream = response.headers['content-type']?.startsWith('text/event-stream')
  let rest = ''
  for await (const chunk of quietly(response.setEncoding('utf8'))) {
    rest += chunk
    if (!isStream) continue
    const blocks = rest.split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const message = messageOf(block)
      if (message) await told(message)
    }
  }
  if (isStream) return
  throw refusalOf(at, { status: response.statusCode ?? 0, headers: response.headers, text: rest })
}

/** A connection that breaks is the end of a stream like any other. */
async function* quietly(response: IncomingMessage): AsyncGenerator<string> {
  try {
    for await (const chunk of response) yield chunk as string
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
  const value = data.length === 0 ? null : parse(data.join('\n'))
  return isRecord(value) ? { event, data: value } : null
}
