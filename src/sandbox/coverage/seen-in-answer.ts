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
 * Tells of every step that the timelines of an answer show: of one order or case, or of a page of them. It reads the text as it
 * goes out instead of parsing it, because every order that is sold comes by here. In JSON no text of anybody's can
 * hold these marks: its quotes are escaped.
 *
 * @example edgesIn('{"timeline":[{"status":"OPEN"},{"status":"DEAL_CLOSED"}]}', tell) // tells NEW>OPEN, OPEN>DEAL_CLOSED
 */
export function edgesIn(body: string, tell: (edge: Edge) => void): void {
  let start = body.indexOf(TIMELINE)
  while (start !== -1) {
    const next = body.indexOf(TIMELINE, start + TIMELINE.length)
    edgesOfOne(body, start, next === -1 ? body.length : next, tell)
    start = next
  }
}

function edgesOfOne(body: string, start: number, end: number, tell: (edge: Edge) => void): void {
  let before: string = NEW
  let at = body.indexOf(ENTRY, start)
  while (at !== -1 && at < end) {
    const from = at + ENTRY.length
    const to = body.indexOf('"', from)
    if (to === -1) return
    const state = body.slice(from, to)
    if (state !== before) tell(edge(before, state))
    before = state
    at = body.indexOf(ENTRY, to)
  }
}

const STATUS = '"status":"'

/** The status that an answer about one thing names. */
export function statusIn(body: string): string | null {
  const at = body.indexOf(STATUS)
  return at === -1 ? null : body.slice(at + STATUS.length, body.indexOf('"', at + STATUS.length))
}

const EVENT = '"id":"evt_'
const EVENT_PREFIX_AT = '"id":"'.length

/** The first and the last event of a page of the history; null for an empty page. */
export function eventsIn(body: string): { firstId: string; lastId: string } | null {
  const first = body.indexOf(EVENT)
  if (first === -1) return null
  return { firstId: idAt(body, first), lastId: idAt(body, body.lastIndexOf(EVENT)) }
}

function idAt(body: string, mark: number): string {
  const from = mark + EVENT_PREFIX_AT
  return body.slice(from, body.indexOf('"', from))
}
