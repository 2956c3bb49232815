import { type Connection, connectTo, type HttpAnswer } from './connection.ts'
import { type Problem, SandboxRefusal, SandboxUnreachable } from './errors.ts'
import { type Options, toWire } from './to-wire.ts'

export interface OperatorAddress {
  /** Address of the operator port, e.g. `http://127.0.0.1:4601`. */
  url: string
  /** Bearer token, where the operator port asks for one. */
  token?: string | null | undefined
}

export type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The operator API of one sandbox. Everything that handles do goes through it. */
export interface OperatorClient {
  /** Options become JSON with snake_case members; the answer's JSON comes back as it is. */
  ask<Answer>(verb: Verb, path: string, options?: Options): Promise<Answer>
  /** Sends and fetches what is no JSON. */
  transfer(verb: Verb, path: string, content?: { type: string; bytes: Uint8Array }): Promise<Buffer>
  /** Calls back at every server-sent event, and once when they begin; resolves when they end. */
  listen(path: string, told: () => void, signal: AbortSignal): Promise<void>
  close(): void
}

/** @example await createOperatorClient({ url: 'http://127.0.0.1:4601' }).ask('GET', '/v1') */
export function createOperatorClient({ url, token }: OperatorAddress): OperatorClient {
  const connection = openConnection(url)
  const credentials = token ? { authorization: `Bearer ${token}` } : {}
  async function exchange(method: Verb, target: string, type: string | null, body?: Uint8Array): Promise<HttpAnswer> {
    const headers = { ...credentials, ...(type !== null && { 'content-type': type }) }
    const answer = await connection.exchange({ method, target, headers, body }).catch((error) => {
      throw unreachable(url, error)
    })
    if (answer.status >= 200 && answer.status < 300) return answer
    const problem = problemIn(answer)
    if (typeof problem.detail !== 'string' && typeof problem.title !== 'string')
      throw new SandboxUnreachable(
        `${url} answered ${answer.status}, but not as an operator port does: is it the API's?`,
      )
    throw new SandboxRefusal(answer.status, problem, `${method} ${target}`)
  }
  return {
    async ask<Answer>(verb: Verb, path: string, options?: Options) {
      const isWriting = verb !== 'GET' && verb !== 'DELETE'
      const body = isWriting ? Buffer.from(JSON.stringify(toWire(options ?? {}))) : undefined
      const answer = await exchange(verb, path, isWriting ? 'application/json' : null, body)
      return jsonOf(answer, url) as Answer
    },
    transfer: async (verb, path, content) => (await exchange(verb, path, content?.type ?? null, content?.bytes)).body,
    async listen(path, told, signal) {
      const stream = await connection.open({ method: 'GET', target: path, headers: credentials }, signal)
      if (stream.statusCode !== 200) return void stream.resume()
      told()
      for await (const _part of stream) told()
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

function jsonOf({ body }: HttpAnswer, url: string): unknown {
  if (body.length === 0) return undefined
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    throw new SandboxUnreachable(`${url} answered something that is no JSON: is it an operator port?`)
  }
}

function problemIn({ body }: HttpAnswer): Problem {
  try {
    return JSON.parse(body.toString('utf8')) as Problem
  } catch {
    return {}
  }
}

function unreachable(url: string, error: Error & { code?: string }): SandboxUnreachable {
  const why = error.code === 'ECONNREFUSED' ? 'nothing listens there' : error.message
  return new SandboxUnreachable(`no sandbox answers at ${url}: ${why}`, { cause: error })
}
