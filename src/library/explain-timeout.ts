import { jsonIn } from '../contract/words.ts'
import type { OperatorClient } from '../operator-api/client.ts'
import { refusalLines } from '../operator-api/refusal-lines.ts'
import { SandboxRefusal } from '../operator-api/refusals.ts'
import type { PartnerEvent } from '../operator-api/rows/events.ts'
import type { WholeRequest } from '../operator-api/rows/requests.ts'
import { factsOf } from './handles.ts'

const MOST_EVENTS = 10
const MOST_REFUSALS = 3
/** Far more than one wait needs. */
const READ_AT_MOST = 200

/** A wait that timed out. */
export interface Missed {
  client: OperatorClient
  /** Name of the world. */
  world: string
  /** In words. */
  what: string
  /** What it looked like last. */
  lastSeen?(): string | Promise<string>
}

/** Why a wait timed out: what happened instead, which calls were refused, and the time of the world. */
export async function explainTimeout(wait: Missed, timeoutMs: number): Promise<string> {
  const { client, world } = wait
  const parts = [`waited ${timeoutMs} ms for ${wait.what}, but it did not happen`]
  try {
    if (wait.lastSeen) parts.push(await wait.lastSeen())
    parts.push(await eventsOf(client, world).catch(nothingOfProxy))
    parts.push(await timeIn(client, world), ...(await unhappyCalls(client, world)))
  } catch (error) {
    parts.push(`the world no longer answers: ${(error as Error).message}`)
  }
  return parts.filter((part) => part !== '').join('\n  ')
}

/** A proxy has calls, and no events. */
function nothingOfProxy(error: unknown): string {
  if (error instanceof SandboxRefusal && error.code === 'needs_sandbox') return ''
  throw error
}

async function eventsOf(client: OperatorClient, world: string): Promise<string> {
  const { events } = await client.call('events.list', { w: world }, { limit: READ_AT_MOST })
  if (events.length === 0) return 'this world has no events'
  const last = events.slice(-MOST_EVENTS).map((event) => `${event.type} of ${subjectOf(event)}`)
  return `events so far${events.length > last.length ? `, the last ${last.length}` : ''}: ${last.join(', ')}`
}

function subjectOf(event: PartnerEvent): string {
  const facts = factsOf(event)
  return 'case_id' in facts ? facts.case_id : facts.public_id
}

/** In a world with a frozen clock, scheduled tasks do not run. */
async function timeIn(client: OperatorClient, world: string): Promise<string> {
  const { mode, now, next_due: next } = await client.call('clock.show', { w: world })
  const due = next === null ? 'no task is due' : `the next task is due at ${next}`
  if (mode === 'frozen' && next !== null)
    return `its clock is frozen at ${now} and ${due}: advance it, for instance with clock.advance({ until: 'next' })`
  return `its clock is ${mode} at ${now} and ${due}`
}

/** The commonest mistake: another key, which belongs to no world or to another one. */
export const NO_CALL = 'no call used a key of this world; does the client use its url and credentials?'

/** Signs of a mistake in the calls: no calls at all, or refused ones. */
async function unhappyCalls(client: OperatorClient, world: string): Promise<string[]> {
  const { requests } = await client.call('requests.list', { w: world }, { limit: 1 })
  if (requests.length > 0) return refusedCalls(client, world)
  return [NO_CALL]
}

/** The last refused calls, newest first, each with the reason that the request log has for it. */
export async function refusedCalls(client: OperatorClient, world: string): Promise<string[]> {
  const { requests } = await client.call('requests.list', { w: world }, { limit: READ_AT_MOST })
  const refused = requests.filter(({ status }) => status >= 400).slice(0, MOST_REFUSALS)
  const whole = await Promise.all(
    refused.map(({ request_id }) => client.call('requests.show', { w: world, request_id })),
  )
  return whole.map((call) => {
    const [sentence, ...more] = reasonOf(call)
    const caller = call.credential ?? call.key_id ?? 'unknown'
    const outcome = `${[call.status, call.code].filter(Boolean).join(' ')}: ${sentence} (${call.request_id})`
    return [`refused: ${call.method} ${call.target} as ${caller} got ${outcome}`, ...more].join('\n    ')
  })
}

/** The log has no diagnosis of other answers, such as a 500. */
function reasonOf({ diagnosis, detail, answer }: WholeRequest): string[] {
  return diagnosis ? refusalLines(diagnosis) : [detail ?? messageIn(answer.body)]
}

function messageIn(body: string): string {
  const { message } = (jsonIn(body) ?? {}) as { message?: unknown }
  return typeof message === 'string' ? message : body.slice(0, 200)
}
