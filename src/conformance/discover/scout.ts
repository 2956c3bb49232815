import { wellFormed } from '../../contract/canonical-string.ts'
import type { EndpointId } from '../../contract/endpoints.ts'
import { type Client, createClient } from '../context/run-context.ts'
import type { Services } from '../context/scenario-run.ts'
import { converse } from '../context/send-call.ts'
import { findRole } from '../dialect/find-role.ts'
import { endpointOf } from '../format/step-names.ts'
import { type Answer, isAccepted } from '../http/answer.ts'
import { escapedKey } from '../http/json-body.ts'
import type { Evidence } from './discovery.ts'

/** A read that was made, with what came back. */
export interface Seen {
  readonly op: EndpointId
  /** What it was about, so that a second one about something else confirms it. */
  readonly subject: string
  readonly answer: Answer | null
  readonly exchange: string
  readonly request: string
}

/** Makes reads, and nothing but reads. */
export interface Scout {
  readonly services: Services
  readonly client: Client
  readonly seen: readonly Seen[]
  /** @throws RangeError for an operation that changes anything. */
  read(
    op: EndpointId,
    about?: { path?: Record<string, string>; query?: readonly (readonly [string, string])[] },
  ): Promise<Seen>
}

export function createScout(services: Services): Scout {
  const client = createClient(services.run, 'discover', 'r')
  const seen: Seen[] = []
  return {
    services,
    client,
    seen,
    async read(op, { path: values = {}, query = [] } = {}) {
      const { method, path, effect } = endpointOf(op)
      if (effect !== 'read' || method !== 'GET') throw new RangeError(`${op} is no read`)
      const filled = path.replace(/\{(\w+)\}/g, (_all, name: string) =>
        encodeURIComponent(wellFormed(values[name] ?? '')),
      )
      const { answer, exchange } = await converse(client, {
        op,
        plan: { method, path: filled, query },
        credential: services.credentials.main,
      })
      const request = `${method} ${exchange.request.target}`
      const subject = [...Object.values(values), ...query.map(([, value]) => value)].join(' ')
      const one: Seen = { op, subject, answer, exchange: exchange.id, request }
      seen.push(one)
      return one
    },
  }
}

/** What an answer shows at a place, as evidence. */
export function shownAt({ exchange, request }: Seen, at: string, value: unknown): Evidence {
  const text = Array.isArray(value) ? `a list of ${value.length}` : (JSON.stringify(value) ?? 'nothing')
  const short = text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text
  return { exchange, request, shows: `${at || 'the whole body'} = ${short}` }
}

const SHOWN_CHARACTERS = 60

/** How an answer refused, in words. */
export function refusalIn({ services }: Scout, { answer, op }: Seen): string {
  if (!answer) return 'the connection broke'
  const code = findRole(services.run.target.dialect.roles, 'error.code', { ...answer, op })
  return code.found ? `${answer.status} ${String(code.value)}` : String(answer.status)
}

/** The reads of an operation that were answered soundly. */
export function acceptedOf(scout: Scout, op: EndpointId): (Seen & { answer: Answer })[] {
  return scout.seen.filter((one): one is Seen & { answer: Answer } => one.op === op && isAccepted(one.answer))
}

/** The place of an item in the list at `at`. */
export function itemAt(at: string, index: number): string {
  return `${at}/${escapedKey(String(index))}`
}
