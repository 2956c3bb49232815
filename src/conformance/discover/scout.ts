import { wellFormed } from '../../contract/canonical-string.ts'
import type { EndpointId } from '../../contract/endpoints.ts'
import { type Client, createClient } from '../context/run-context.ts'
import type { Services } from '../context/scenario-run.ts'
import { converse } from '../context/send-call.ts'
import { LIST_OF } from '../format/list-of.ts'
import type { RoleName } from '../format/roles.ts'
import { endpointOf } from '../format/step-names.ts'
import { type Answer, isAccepted } from '../http/answer.ts'
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
      if (effect !== 'read' || method !== 'GET') throw new RangeError(`${op} is not a read`)
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
export function refusalIn({ services }: Scout, { answer }: Seen): string {
  if (!answer) return 'the connection broke'
  const code = services.run.dialect.find('error.code', answer)
  return code.found ? `${answer.status} ${String(code.value)}` : String(answer.status)
}

/** The entries of the list that an operation answers with. */
export function itemsIn(
  { services }: Scout,
  { answer, op }: Pick<Seen, 'answer' | 'op'>,
  list: RoleName | undefined = LIST_OF[op],
): readonly unknown[] {
  if (!isAccepted(answer) || !list) return []
  const found = services.run.dialect.items(list, answer)
  return found.found ? found.items : []
}

/** The values of a role in each entry of such a list, if they are strings. */
export function valuesIn(scout: Scout, seen: Seen, role: RoleName, list?: RoleName): string[] {
  return itemsIn(scout, seen, list).flatMap((json) => {
    const found = scout.services.run.dialect.find(role, { json, op: seen.op })
    return found.found && typeof found.value === 'string' ? [found.value] : []
  })
}

/** The reads of an operation that were answered correctly. */
export function acceptedOf(scout: Scout, op: EndpointId): (Seen & { answer: Answer })[] {
  return scout.seen.filter((one): one is Seen & { answer: Answer } => one.op === op && isAccepted(one.answer))
}
