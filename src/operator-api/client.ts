import type { IncomingMessage } from 'node:http'
import { HEADERS } from '../contract/headers.ts'
import { whyNoAnswer } from '../contract/host.ts'
import { jsonIn } from '../contract/words.ts'
import { targetOf } from './address.ts'
import { toWire } from './camel-case.ts'
import { bodyOf, type Connection, connectTo, type HttpAnswer } from './connection.ts'
import type { Method, Operation } from './operation.ts'
import type { AnswerOf, OperationId, OperationInput, ParamsOf, QueryOf, SomeOperations } from './operations.ts'
import { type ProblemBody, SandboxRefusal, SandboxUnreachable } from './refusals.ts'
import { messageReader, recordIn, type StreamMessage } from './stream-messages.ts'

export interface OperatorAddress {
  /** Address of the operator port, e.g. `http://127.0.0.1:4601`. */
  url: string
  /** Bearer token, where the operator port asks for one. */
  token?: string | null | undefined
}

/** A body that is not JSON. */
export interface RawContent {
  readonly type: string
  readonly bytes: Uint8Array
}

interface StreamListener {
  /** Called once the stream has begun. */
  begun?(): void
  /** Called for each message, one after the other. */
  heard(message: StreamMessage): void | Promise<void>
}

/** The operator API of one sandbox, for the command line and the library alike. */
export type OperatorClient = ReturnType<typeof createOperatorClient>

/**
 * Everything that the client does rejects with a `SandboxRefusal` for an answer that is not a 2xx, with a `SandboxUnreachable` if no
 * operator API answers.
 *
 * @param silentMs how long the sandbox may work on an answer; as long as it likes unless given.
 * @param rows those at hand; all of them are loaded when another is asked for.
 * @example await createOperatorClient({ url: 'http://127.0.0.1:4601' }).call('sandbox.show', {})
 */
export function createOperatorClient(address: OperatorAddress, silentMs?: number, rows: SomeOperations = {}) {
  const { url, token } = address
  const connection = openConnection(url)
  const credentials = token ? { authorization: `Bearer ${token}` } : {}
  const rowOf = async (id: OperationId) =>
    (rows[id] as Operation | undefined) ?? (await import('./operations.ts')).operationOf(id)
  const fail = (error: Error) => {
    throw noAnswer(url, error)
  }

  async function exchange(method: Method, target: string, content?: RawContent): Promise<Buffer> {
    const headers = { ...credentials, ...(content && { 'content-type': content.type }) }
    const request = { method, target, headers, body: content?.bytes, silentMs }
    const answer = await connection.exchange(request).catch(fail)
    if (answer.status < 200 || answer.status >= 300) throw refusalOf(url, answer, `${method} ${target}`)
    return answer.body
  }

  async function open(target: string, silentMs?: number, signal?: AbortSignal): Promise<IncomingMessage> {
    const request = { method: 'GET', target, headers: credentials, silentMs }
    const incoming = await connection.open(request, signal).catch(fail)
    const { statusCode: status = 0, headers } = incoming
    if (status === 200) return incoming
    // One that breaks off says no more than its status.
    const body = await bodyOf(incoming).catch(() => Buffer.alloc(0))
    throw refusalOf(url, { status, headers, body }, `GET ${target}`)
  }

  return {
    address,
    /**
     * Asks for one operation: the JSON of the answer, undefined if it has no body. Members of the input may be camelCase.
     *
     * @param input the query of a GET or DELETE, the body of the others.
     * @example await client.call('orders.list', { w: 'default' }, { status: 'MANUAL_REVIEW' })
     */
    async call<Id extends OperationId>(id: Id, params: ParamsOf<Id>, input?: OperationInput<Id>) {
      const { method, path } = await rowOf(id)
      const isWriting = method !== 'GET' && method !== 'DELETE'
      const target = targetOf(path, params, isWriting ? undefined : input)
      return answerIn(await exchange(method, target, isWriting ? jsonContent(input) : undefined), url) as AnswerOf<Id>
    },
    /** Sends what is not JSON. */
    async send<Id extends OperationId>(id: Id, params: ParamsOf<Id>, content: RawContent, query?: QueryOf<Id>) {
      const { method, path } = await rowOf(id)
      return answerIn(await exchange(method, targetOf(path, params, query), content), url) as AnswerOf<Id>
    },
    /** An answer that is not JSON, whole. */
    async fetch<Id extends OperationId>(id: Id, params: ParamsOf<Id>, query?: QueryOf<Id>) {
      return exchange('GET', targetOf((await rowOf(id)).path, params, query))
    },
    /** The same, as soon as its head is there. */
    open: async <Id extends OperationId>(id: Id, params: ParamsOf<Id>) =>
      open(targetOf((await rowOf(id)).path, params)),
    /** Listens to server-sent events until they end or the signal stops it; says which of the two. */
    async follow(
      params: ParamsOf<'stream.follow'>,
      query: QueryOf<'stream.follow'>,
      listener: StreamListener,
      stop: AbortSignal,
    ): Promise<'stopped' | 'ended'> {
      if (stop.aborted) return 'stopped'
      try {
        const { path } = await rowOf('stream.follow')
        const incoming = await open(targetOf(path, params, query), STREAM_SILENT_MS, stop)
        if (!incoming.headers['content-type']?.startsWith('text/event-stream')) throw notJson(url)
        listener.begun?.()
        await readStream(incoming, listener)
      } catch (error) {
        if (!stop.aborted) throw error
      }
      return stop.aborted ? 'stopped' : 'ended'
    },
    close: () => connection.close(),
  }
}

function openConnection(url: string): Connection {
  try {
    return connectTo(url)
  } catch {
    throw new SandboxUnreachable(`the operator's address must be an http(s) URL, not ${JSON.stringify(url)}`)
  }
}

function jsonContent(body: unknown = {}): RawContent {
  return { type: 'application/json', bytes: Buffer.from(JSON.stringify(toWire(body))) }
}

function answerIn(body: Buffer, url: string): unknown {
  const json = jsonIn(body.toString('utf8'))
  if (json === undefined && body.length > 0) throw notJson(url)
  return json
}

function notJson(url: string): SandboxUnreachable {
  const reason = { kind: 'not-json' } as const
  return new SandboxUnreachable(`${url} answered with something other than JSON: is it an operator port?`, { reason })
}

/** The partner API listens next to the operator, so the two are easily mixed up; only its answers have a request id. */
function refusalOf(url: string, { status, headers, body }: HttpAnswer, what: string): Error {
  const problem: ProblemBody = recordIn(body.toString('utf8')) ?? {}
  const isPartnerApi = headers[HEADERS.requestId.toLowerCase()] !== undefined || typeof problem['error'] === 'object'
  const isProblem = typeof problem.detail === 'string' || typeof problem.title === 'string'
  if (isProblem && !isPartnerApi) return new SandboxRefusal(status, problem, what)
  const message = `${url} answered ${status}, but not as an operator port does: is it the API's?`
  return new SandboxUnreachable(message, { reason: { kind: isPartnerApi ? 'partner-api' : 'no-problem', status } })
}

function noAnswer(url: string, error: Error & { code?: string }): SandboxUnreachable {
  const { code = '', message } = error
  const why = whyNoAnswer(`${code} ${message}`, url) ?? (message || code || 'no connection')
  const reason = { kind: 'no-answer', why } as const
  return new SandboxUnreachable(`no sandbox answers at ${url}: ${why}`, { cause: error, reason })
}

/** The stream says something every 15 seconds; a connection that is silent for longer is dead. */
const STREAM_SILENT_MS = 60_000

/** Reads server-sent events to their end; a connection that breaks is an end, too. */
async function readStream(incoming: IncomingMessage, { heard }: StreamListener): Promise<void> {
  const read = messageReader()
  try {
    for await (const text of incoming.setEncoding('utf8')) {
      for (const message of read(text)) await heard(message)
    }
  } catch (error) {
    if (error !== incoming.errored) throw error
  }
}
