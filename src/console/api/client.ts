import { OPERATION_TABLE } from 'virtual:operations'
import { targetOf } from '../../operator-api/address.ts'
import { toWire } from '../../operator-api/camel-case.ts'
import type { AnswerOf, OperationId, OperationInput, ParamsOf, QueryOf } from '../../operator-api/operations.ts'
import { SandboxRefusal, SandboxUnreachable } from '../../operator-api/refusals.ts'
import { messageReader, recordIn, type StreamMessage } from '../../operator-api/stream-messages.ts'
import type { TokenStore } from './token.ts'

/** The operator API of the sandbox that served this page. */
export type ConsoleClient = ReturnType<typeof createClient>

/**
 * What the command line and the library have as a client, over `fetch`: same table, same types, same refusals.
 *
 * @example await createClient(token).call('orders.list', { w: 'default' }, { status: 'SETTLED' })
 */
export function createClient(token: TokenStore) {
  async function exchange(method: string, target: string, init: RequestInit = {}): Promise<Response> {
    const sent = token.value
    const headers = { ...authorization(sent), ...init.headers }
    const answer = await fetch(target, { ...init, method, headers, cache: 'no-store' }).catch((error: unknown) => {
      if (init.signal?.aborted) throw error
      throw new SandboxUnreachable('The sandbox does not answer. Is it still running?')
    })
    if (answer.status === 401) token.refused(sent)
    else token.taken(sent)
    if (answer.ok) return answer
    throw new SandboxRefusal(answer.status, recordIn(await answer.text()) ?? {}, `${method} ${target}`)
  }

  return {
    /** Asks for one operation: the JSON of the answer, undefined if it has no body. */
    async call<Id extends OperationId>(
      id: Id,
      params: ParamsOf<Id>,
      input?: OperationInput<Id>,
    ): Promise<AnswerOf<Id>> {
      const { method, path } = OPERATION_TABLE[id]
      const isWriting = method !== 'GET' && method !== 'DELETE'
      const target = targetOf(path, params, isWriting ? undefined : input)
      return (await jsonOf(await exchange(method, target, isWriting ? jsonContent(input) : {}))) as AnswerOf<Id>
    },
    /** Sends what is not JSON: a snapshot, a CSV file. */
    async send<Id extends OperationId>(id: Id, params: ParamsOf<Id>, content: Blob, query?: QueryOf<Id>) {
      const { method, path } = OPERATION_TABLE[id]
      const headers = { 'content-type': content.type }
      return (await jsonOf(
        await exchange(method, targetOf(path, params, query), { headers, body: content }),
      )) as AnswerOf<Id>
    },
    /** An answer that is not JSON, whole. */
    async file<Id extends OperationId>(id: Id, params: ParamsOf<Id>, query?: QueryOf<Id>): Promise<Blob> {
      return (await exchange('GET', targetOf(OPERATION_TABLE[id].path, params, query))).blob()
    },
    /** Opens the server-sent events of a world, from now on; what this returns reads them to their end. */
    async open(world: string, query: QueryOf<'stream.follow'>, signal: AbortSignal) {
      const target = targetOf(OPERATION_TABLE['stream.follow'].path, { w: world }, query)
      const { body } = await exchange('GET', target, { signal })
      return (heard: (message: StreamMessage) => void) => readStream(body, heard)
    },
  }
}

function authorization(token: string | null): Record<string, string> {
  return token === null ? {} : { authorization: `Bearer ${token}` }
}

function jsonContent(body: unknown = {}): RequestInit {
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(toWire(body)) }
}

async function jsonOf(answer: Response): Promise<unknown> {
  const text = await answer.text()
  return text === '' ? undefined : JSON.parse(text)
}

async function readStream(body: ReadableStream<Uint8Array> | null, heard: (message: StreamMessage) => void) {
  if (!body) return
  const reader = body.getReader()
  const decoder = new TextDecoder()
  const read = messageReader()
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    for (const message of read(decoder.decode(part.value, { stream: true }))) heard(message)
  }
}
