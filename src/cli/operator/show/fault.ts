import { isRecord, type Row, rowsOf } from '../../output/records.ts'
import { table } from '../../output/table.ts'
import { facts } from './facts.ts'

/**
 * What a fault or a magic name did to a call, and which of the two it was.
 *
 * @example mishapText({ mishap: 'drop', fault: null }) // 'drop by magic name'
 */
export function mishapText({ mishap, fault }: Row): string | null {
  if (typeof mishap !== 'string') return null
  return `${mishap} by ${typeof fault === 'string' ? fault : 'magic name'}`
}

/** All faults, and how often each has acted. */
export function faultList(answer: unknown): string {
  const faults = rowsOf(answer, 'faults')
  if (faults.length === 0) return 'no faults\n'
  return table(faults, [
    { heading: 'FAULT', cell: (row) => row['id'] },
    { heading: 'CALLS', cell: (row) => matchText(row['match']) },
    { heading: 'DOES', cell: (row) => effectText(row['effect']) },
    { heading: 'CHANCE', cell: (row) => row['probability'], align: 'right' },
    { heading: 'HITS', cell: (row) => row['hits'], align: 'right' },
    { heading: 'LEFT', cell: (row) => row['left'] ?? 'for ever', align: 'right' },
    { heading: 'LAST REQUEST', cell: (row) => row['last_request_id'] },
  ])
}

function matchText(match: unknown): string {
  const { key_id: _shownByName, ...wanted } = isRecord(match) ? match : {}
  const parts = Object.values(wanted).filter((value) => value !== null)
  return parts.length === 0 ? 'all' : parts.join(' ')
}

function effectText(effect: unknown): string {
  const {
    kind,
    status,
    code,
    drop,
    delay_ms: delayMs,
    garbage,
    retry_after_seconds: seconds,
  } = isRecord(effect) ? effect : {}
  if (kind === 'delay') return `delay ${delayMs} ms`
  if (kind === 'garbage') return `garbage ${garbage}`
  if (drop !== undefined) return `drop ${drop}`
  return [code, status, seconds === undefined ? undefined : `retry after ${seconds} s`]
    .filter((part) => part !== undefined)
    .join(' ')
}

/** One fault: its facts, and what it does in words. */
export function faultText(answer: unknown): string {
  if (!isRecord(answer)) return facts({})
  const { match, effect, ...rest } = answer
  return facts({
    id: rest['id'],
    calls: matchText(match),
    does: effectText(effect),
    ...rest,
    times: rest['times'] ?? 'for ever',
  })
}
