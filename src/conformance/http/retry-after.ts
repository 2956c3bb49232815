/** Where an answer asks for patience without saying how much. */
export const USUAL_WAIT_MS = 1_000
/** A timer may ring a little early. */
const SHORTEST_WAIT_MS = 50

/**
 * How long Retry-After asks to wait, in milliseconds: so many seconds, or until a date by the clock of the one who asks.
 *
 * @param nowMs that clock.
 * @example retryAfterMs('2', nowMs) // 2_000
 */
export function retryAfterMs(value: string | undefined, nowMs: number): number {
  if (value === undefined) return USUAL_WAIT_MS
  const text = value.trim()
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1_000 : httpDateMs(text) - nowMs
  return Number.isFinite(ms) ? Math.max(ms, SHORTEST_WAIT_MS) : USUAL_WAIT_MS
}

const HTTP_DATE = /^[A-Z][a-z]+,? .*\d.*$/

function httpDateMs(text: string): number {
  return HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN
}
