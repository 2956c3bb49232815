import type { GapChoices } from '../../contract/choices.ts'
import { type ErrorCode, isErrorCode } from '../../contract/errors.ts'
import { stateNames } from '../../contract/wire-names.ts'
import type { Answer } from '../wire/route.ts'
import type { Setback } from './retries.ts'

/** Where a thing starts that was in no state before. */
export const NEW = 'NEW'

/** A step from one state to another, as the coverage writes it. */
export type Edge = `${string}>${string}`

export function edge(from: string, to: string): Edge {
  return `${from}>${to}`
}

const TIMELINE = '"timeline":['
const ENTRY = '{"status":"'

/**
 * Reports every step that the timelines of an answer show: of one order or case, or of a page of them. It reads the text as it
 * goes out instead of parsing it or running an expression over it, because every order that is sold comes by here. In JSON no text of a caller can
 * hold these marks: its quotes are escaped.
 *
 * @example edgesIn('{"timeline":[{"status":"OPEN"},{"status":"DEAL_CLOSED"}]}', report) // reports NEW>OPEN, OPEN>DEAL_CLOSED
 */
export function edgesIn(body: string, report: (edge: Edge) => void): void {
  let start = body.indexOf(TIMELINE)
  while (start !== -1) {
    const next = body.indexOf(TIMELINE, start + TIMELINE.length)
    edgesOfOne(body, start, next === -1 ? body.length : next, report)
    start = next
  }
}

function edgesOfOne(body: string, start: number, end: number, report: (edge: Edge) => void): void {
  let before: string = NEW
  let at = body.indexOf(ENTRY, start)
  while (at !== -1 && at < end) {
    const state = valueAt(body, at, ENTRY)
    if (state !== before) report(edge(before, state))
    before = state
    at = body.indexOf(ENTRY, at + ENTRY.length)
  }
}

/** The text from the end of a mark to the next quote. */
function valueAt(body: string, at: number, mark: string): string {
  const from = at + mark.length
  return body.slice(from, body.indexOf('"', from))
}

const STATUS = '"status":"'

/** The status that an answer about one thing names. */
export function statusIn(body: string): string | null {
  const at = body.indexOf(STATUS)
  return at === -1 ? null : valueAt(body, at, STATUS)
}

const EVENT_ID = '"id":"'
const EVENT = `${EVENT_ID}evt_`

/** The first and the last event of a page of the history; null for an empty page. */
export function eventsIn(body: string): { firstId: string; lastId: string } | null {
  const first = body.indexOf(EVENT)
  if (first === -1) return null
  return { firstId: valueAt(body, first, EVENT_ID), lastId: valueAt(body, body.lastIndexOf(EVENT), EVENT_ID) }
}

/** Our names of the states that a world calls otherwise on the wire (ORD-15, BRK-06). */
export function ownStates(gaps: GapChoices): ReadonlyMap<string, string> {
  return new Map([...stateNames(gaps)].map(([ours, chosen]) => [chosen, ours]))
}

/** A step in our names of its states. */
export function ownEdge(onWire: Edge, ours: ReadonlyMap<string, string>): Edge {
  if (ours.size === 0) return onWire
  const [from = '', to = ''] = onWire.split('>')
  return edge(ours.get(from) ?? from, ours.get(to) ?? to)
}

const CODE = '"code":"'

/** The code of the document that an answer carries, in any layout; null for any other answer. */
export function codeIn({ status, body }: Answer): ErrorCode | null {
  const at = status < 400 ? -1 : body.indexOf(CODE)
  const found = at === -1 ? null : valueAt(body, at, CODE)
  return isErrorCode(found) ? found : null
}

/** What a client has to make of an answer whose code it cannot read: what its status stands for. */
export function setbackOf({ status }: Answer, code: ErrorCode | null): Setback | null {
  if (code !== null || status < 400) return code
  if (status === 429) return 'rate_limited'
  return status >= 500 ? 'internal_error' : null
}
