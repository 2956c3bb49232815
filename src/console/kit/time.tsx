import { useContext } from 'preact/hooks'
import { Signal, useSignal } from '../browser/signal.ts'
import { WorldContext } from '../console-context.ts'

/** Never changes. */
const NO_CLOCK = new Signal<unknown>(null)

interface InstantProps {
  /** World time. */
  at: string | null
  /** The same moment by the machine's clock, where it is known: for the tooltip. */
  real?: string
  /** Without how far away it is. */
  isAlone?: boolean
}

/** An instant of the world's time with how far away it is; every time on a screen is world time. */
export function Instant({ at, real, isAlone = false }: InstantProps) {
  const clock = useContext(WorldContext)?.clock
  useSignal<unknown>(clock?.read ?? NO_CLOCK)
  if (at === null) return <span class="soft">—</span>
  const nowMs = isAlone ? null : (clock?.nowMs() ?? null)
  const title = real === undefined ? `World time ${at}` : `World time ${at}, real time ${real}`
  return (
    <time class="instant" dateTime={at} title={title}>
      <span>{instantText(at)}</span>
      {nowMs !== null && <span class="soft">· {relativeText(Date.parse(at) - nowMs)}</span>}
    </time>
  )
}

/** Without the letters of ISO 8601, in UTC. @example instantText('2026-11-23T02:11:05.000Z') // '2026-11-23 02:11:05' */
export function instantText(at: string): string {
  return at.slice(0, 19).replace('T', ' ')
}

const UNITS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const

/** @example relativeText(604_000_000) // 'in 6 d 23 h' */
export function relativeText(aheadMs: number): string {
  const text = spanText(Math.abs(aheadMs))
  if (text === '') return 'now'
  return aheadMs > 0 ? `in ${text}` : `${text} ago`
}

/** The two largest units of a span. */
export function spanText(ms: number): string {
  const first = UNITS.findIndex(([unitMs]) => ms >= unitMs)
  if (first === -1) return ''
  const parts: string[] = []
  let restMs = ms
  for (const [unitMs, letter] of UNITS.slice(first, first + 2)) {
    const count = Math.floor(restMs / unitMs)
    restMs -= count * unitMs
    if (count > 0) parts.push(`${count} ${letter}`)
  }
  return parts.join(' ')
}
