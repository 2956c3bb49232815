import { isObject } from '../../../contract/is-object.ts'
import { membersOf, type OutputRow, rowsOf } from '../../output/records.ts'
import { type Column, fields, table } from '../../output/table.ts'

/** A world's clock: its time, what it waits for, and what goes by another clock. */
export function clockText(answer: unknown): string {
  const clock = membersOf(answer)
  return fields([
    ['mode', clock['mode']],
    ['now', clock['now']],
    ['pending', pendingText(clock)],
    ['next', nextText(clock['next'])],
    ['signatures', signaturesText(clock)],
    ['jump', jumpText(clock['advancing'])],
  ])
}

function pendingText({ pending, pending_by_kind: byKind, idle }: OutputRow): unknown {
  const counts = Object.entries(membersOf(byKind)).map(([kind, count]) => `${String(count)} ${kind}`)
  if (counts.length === 0) return pending
  return idle === true ? `${counts.join(', ')} (idle: ${FINDS_NOTHING})` : counts.join(', ')
}

const FINDS_NOTHING = 'settlement runs without orders to settle do not count'

function nextText(next: unknown): unknown {
  return isObject(next) ? `${String(next['kind'])} at ${String(next['at'])} (${String(next['id'])})` : null
}

/** Signatures, nonces and the rate limit use the machine's clock, unless this world is set to its own. */
function signaturesText({ auth_clock: judge, auth_skew_seconds: skew }: OutputRow): unknown {
  if (judge !== 'wall' && judge !== 'world') return judge
  const clock = judge === 'wall' ? "the machine's clock" : 'the clock of this world'
  const seconds = typeof skew === 'number' ? skew : 0
  const off = seconds === 0 ? '' : `, ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead' : 'behind'}`
  return `checked by ${clock}${off} (auth_clock ${judge})`
}

function jumpText(jump: unknown): string {
  if (!isObject(jump)) return 'none in progress'
  const { from, to, now, things_done: done } = jump
  return `from ${String(from)} ${to === null ? 'until no task is left' : `to ${String(to)}`}: at ${String(now)}, ${String(done)} tasks done`
}

/**
 * From, to, and everything that happened in between, in order.
 *
 * @param clock the clock afterwards, for a jump until no task was left; null for any other.
 */
export function receiptText(answer: unknown, clock: unknown): string {
  const receipt = membersOf(answer)
  const happened = rowsOf(receipt, 'happened')
  const span = fields([
    ['from', receipt['from']],
    ['to', receipt['stopped'] === true ? `${String(receipt['to'])} (stopped)` : receipt['to']],
    ['happened', countsText(receipt['counts'])],
    ...leftOver(clock),
  ])
  if (happened.length === 0) return span
  const more = receipt['truncated'] === true ? `(only the first ${happened.length}; --list shows more)\n` : ''
  return `${span}\n${table(happened, HAPPENED)}${more}`
}

const HAPPENED: readonly Column<OutputRow>[] = [
  ['AT', 'at'],
  ['KIND', 'kind'],
  ['ID', 'id'],
  ['SUMMARY', 'summary'],
]

/** What a world still waits for that is idle. */
function leftOver(clock: unknown): (readonly [string, unknown])[] {
  const { next, idle } = membersOf(clock)
  return isObject(next) && idle === true ? [['still due', `${String(nextText(next))}: ${FINDS_NOTHING}`]] : []
}

/** The sum, and where it is of several kinds how many of each. */
function countsText(counts: unknown): string {
  const kinds = Object.entries(membersOf(counts))
  if (kinds.length === 0) return 'nothing'
  const total = kinds.reduce((sum, [, count]) => sum + Number(count), 0)
  return kinds.length === 1 ? String(total) : `${total} (${kinds.map(([kind, n]) => `${n} ${kind}`).join(', ')})`
}
