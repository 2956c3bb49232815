import type { WallClock } from '../../clock/wall-clock.ts'
import type { GapChoices } from '../../contract/choices.ts'
import { ENDPOINTS, type Endpoint, type EndpointId } from '../../contract/endpoints.ts'
import { type ErrorCode, isErrorCode } from '../../contract/errors.ts'
import { HEADERS } from '../../contract/headers.ts'
import { parameterNames, stateNames } from '../../contract/wire-names.ts'
import type { Exchange } from '../wire/exchange.ts'
import type { Answer } from '../wire/route.ts'
import { Retries, type Setback } from './retries.ts'
import { once, Tallies, type Tally, type TallyKind } from './tally.ts'

/** An event as the history shows it. */
export interface ShownEvent {
  readonly id: string
  readonly type: string
}

/** What sightings need to know beside the calls. */
interface SightingsOptions {
  readonly wall: Pick<WallClock, 'monotonicMs'>
  /** What the server chose at the open points. */
  gaps(): GapChoices
  /**
   * Counts what a page of the event history shows its reader for the first time. Without it, each event counts whenever it is read, and
   * only by its type.
   */
  readHistory?(events: readonly ShownEvent[], finished: Exchange): void
}

/** Counts what finished calls show of the contract. It needs a call and its answer, and nothing of the server behind them. */
export class Sightings {
  readonly tallies: Tallies
  readonly #options: SightingsOptions
  readonly #retries = new Retries()
  /** Our names of the states that a server calls otherwise, by the choices that say so. */
  #ownNames: { gaps: GapChoices; states: ReadonlyMap<string, string> } | null = null

  /** @param saved what was counted earlier. */
  constructor(options: SightingsOptions, saved: readonly Tally[] = []) {
    this.tallies = new Tallies(saved)
    this.#options = options
  }

  /** @param isOwn false for a call of an unknown owner: it is not a retry of anything. */
  note(finished: Exchange, { isOwn = true } = {}): void {
    const { call, answer } = finished
    const isRead = isReadable(finished)
    const code = isRead ? codeIn(answer) : null
    if (code !== null) this.#add('code', code, finished)
    if (call.endpoint !== null) {
      this.#add('called', call.endpoint, finished)
      if (isRead && answer.status < 300) this.#noteAccepted(call.endpoint, finished)
    }
    if (isOwn) this.#noteRetry(finished, isRead ? setbackOf(answer, code) : 'lost_reply')
  }

  #noteAccepted(endpoint: EndpointId, finished: Exchange): void {
    const { call, answer } = finished
    const { timeline, creates, list }: Endpoint = ENDPOINTS[endpoint]
    this.#add('accepted', endpoint, finished)
    if (timeline) {
      for (const [from, to] of stepsIn(answer.body))
        this.#add(`${timeline}-edge`, edge(this.#ownName(from), this.#ownName(to)), finished)
    }
    if (creates?.kind === 'refund') this.#add('order-state', this.#ownName(statusIn(answer.body)), finished)
    if (creates?.kind === 'order' && HEADERS.idempotentReplayed in answer.headers)
      this.#add('situation', 'replayed', finished)
    if (endpoint === 'events.list') this.#noteHistory(finished)
    if (list === null || call.rawQuery === '') return
    const query = new URLSearchParams(call.rawQuery)
    const cursor = parameterNames(endpoint, this.#options.gaps()).get('cursor') ?? 'cursor'
    for (const [name, situation] of Object.entries({ [cursor]: 'cursor', after_id: 'after_id' }))
      if (query.has(name)) this.#add('situation', situation, finished)
  }

  #noteHistory(finished: Exchange): void {
    const events = eventsIn(finished.answer.body)
    if (this.#options.readHistory) this.#options.readHistory(events, finished)
    else for (const { type } of events) this.#add('event', type, finished)
  }

  #noteRetry(finished: Exchange, setback: Setback | null): void {
    const judged = this.#retries.follow(finished, setback, this.#options.wall.monotonicMs())
    if (judged === null) return
    const { after, wrong } = judged
    if (wrong === null) this.#add('retry-right', after, finished)
    else this.#add('retry-wrong', after, finished, JSON.stringify({ request_id: finished.call.id, wrong }))
  }

  #add(kind: TallyKind, id: string, { worldTimeMs }: Exchange, detail?: string): void {
    this.tallies.add(kind, id, once(worldTimeMs), detail)
  }

  #ownName(state: string): string {
    const gaps = this.#options.gaps()
    if (this.#ownNames?.gaps !== gaps) {
      this.#ownNames = { gaps, states: new Map([...stateNames(gaps)].map(([ours, chosen]) => [chosen, ours])) }
    }
    return this.#ownNames.states.get(state) ?? state
  }
}

/** Whether the client got an answer that it can make something of. */
function isReadable({ call, answer }: Exchange): boolean {
  if (call.departure.kind === 'lost') return false
  // Of the faults only garbage leaves an accepted call with a prompt answer.
  return call.fault === null || call.departure.kind === 'late' || answer.status >= 300
}

/** What a client has to make of an answer: its code, or what its status stands for. */
function setbackOf({ status }: Answer, code: ErrorCode | null): Setback | null {
  if (code !== null || status < 400) return code
  if (status === 429) return 'rate_limited'
  return status >= 500 ? 'internal_error' : null
}

/** Where a thing starts that was in no state before. */
export const NEW = 'NEW'

/** @example edge('OPEN', 'DEAL_CLOSED') // 'OPEN>DEAL_CLOSED' */
export function edge(from: string, to: string): string {
  return `${from}>${to}`
}

// Answers are searched as text, in a quarter of the time that parsing takes, because every order that is sold comes by here. No text of a
// caller can look like a name of JSON: its quotes are escaped.

/**
 * Every step that the timelines of an answer show: of one order or case, or of a page of them.
 *
 * @example stepsIn('{"timeline":[{"status":"OPEN"},{"status":"DEAL_CLOSED"}]}') // [['NEW', 'OPEN'], ['OPEN', 'DEAL_CLOSED']]
 */
export function stepsIn(body: string): [from: string, to: string][] {
  const steps: [string, string][] = []
  // Null before the first timeline.
  let before: string | null = null
  for (const [, state] of body.matchAll(/"timeline":\s*\[|\{\s*"status":\s*"([^"]*)"/g)) {
    if (state === undefined) before = NEW
    else if (before !== null) {
      if (state !== before) steps.push([before, state])
      before = state
    }
  }
  return steps
}

/** The events of a page of the history. */
export function eventsIn(body: string): ShownEvent[] {
  const found = body.matchAll(/"id":\s*"([^"]*)",\s*"type":\s*"([^"]*)"/g)
  return [...found].map(([, id, type]) => ({ id: id as string, type: type as string }))
}

function statusIn(body: string): string {
  return /"status":\s*"([^"]*)"/.exec(body)?.[1] ?? ''
}

/** The code of the document that an answer carries, in any layout; null for any other answer. */
function codeIn({ status, body }: Answer): ErrorCode | null {
  const found = status < 400 ? null : /"code":\s*"([^"]*)"/.exec(body)?.[1]
  return isErrorCode(found) ? found : null
}
