import { findRole } from '../conformance/dialect/find-role.ts'
import type { Ground } from '../conformance/dialect/place.ts'
import type { RoleName } from '../conformance/format/roles.ts'
import { parseJson } from '../conformance/http/json-body.ts'
import type { DialectFile } from '../conformance/target/target.ts'
import { ENDPOINTS, type Endpoint, type EndpointId } from '../contract/endpoints.ts'
import type { OrderState } from '../contract/order-states.ts'
import type { Answer } from '../sandbox/wire/route.ts'

/** What a target file says of answers. */
type AnswerWords = Pick<DialectFile, 'roles' | 'statuses'>

const NO_WORDS: AnswerWords = { roles: {}, statuses: {} }

/**
 * What coverage and verdicts read of an answer, as the sandbox would write it: the code and message of a refusal, the timelines of
 * orders and cases, the state of a refund, and events. Any other answer stays as it is.
 *
 * @param dialect null if there is no target file.
 */
export function inOwnWords(answer: Answer, endpoint: EndpointId | null, dialect: AnswerWords | null): Answer {
  const words = dialect ?? NO_WORDS
  const json = parseJson(Buffer.from(answer.body))
  if (json === undefined) return answer
  const ground = { json, op: endpoint, headers: Object.entries(answer.headers) }
  const own = answer.status >= 400 ? refusalIn(ground, words) : endpoint && shownBy(endpoint, ground, words)
  return own === null ? answer : { ...answer, body: JSON.stringify(own) }
}

function refusalIn(ground: Ground, { roles }: AnswerWords): object | null {
  const code = findRole(roles, 'error.code', ground)
  if (!code.found) return null
  const message = findRole(roles, 'error.message', ground)
  return { code: code.value, ...(message.found && { message: message.value }) }
}

function shownBy(endpoint: EndpointId, ground: Ground, { roles, statuses }: AnswerWords): object | null {
  const { timeline, creates, list }: Endpoint = ENDPOINTS[endpoint]
  const textOf = (name: RoleName, within: Ground) => {
    const found = findRole(roles, name, within)
    return found.found ? ownState(String(found.value), statuses) : ''
  }
  const itemsOf = (name: RoleName, within: Ground): Ground[] => {
    const found = findRole<readonly unknown[]>(roles, name, within)
    return found.found ? found.value.map((json) => ({ json, op: endpoint })) : []
  }
  const timelineOf = (within: Ground) => ({
    timeline: itemsOf(`${timeline}.timeline` as RoleName, within).map((entry) => ({
      status: textOf('timeline.status', entry),
    })),
  })
  if (endpoint === 'events.list')
    return itemsOf('events.items', ground).map((event) => ({
      id: textOf('event.id', event),
      type: textOf('event.type', event),
    }))
  if (creates?.kind === 'refund') return { status: textOf('refund.status', ground) }
  if (timeline === null) return null
  return list === null ? timelineOf(ground) : itemsOf(list.items as RoleName, ground).map(timelineOf)
}

const OWN_STATES = { held: 'MANUAL_REVIEW', refunded: 'REFUNDED', cancelled: 'CANCELLED' } as const satisfies Record<
  keyof DialectFile['statuses'],
  OrderState
>

function ownState(word: string, statuses: DialectFile['statuses']): string {
  const [name] = Object.entries(statuses).find(([, chosen]) => chosen === word) ?? []
  return name === undefined ? word : OWN_STATES[name as keyof typeof OWN_STATES]
}

/** A query with the cursor of a list under its usual name. */
export function withOwnCursor(rawQuery: string, endpoint: EndpointId | null, dialect: DialectFile | null): string {
  const name = dialect?.params[endpoint === 'orders.list' ? 'orders.cursor' : 'reports.cursor']
  const cursor = name === undefined ? null : new URLSearchParams(rawQuery).get(name)
  return cursor === null ? rawQuery : String(new URLSearchParams({ cursor }))
}
