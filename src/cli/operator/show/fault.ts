import { membersOf, type OutputRow } from '../../output/records.ts'
import type { ListView } from '../../output/table.ts'
import { facts } from './facts.ts'

/**
 * What a fault or a magic name did to a call, and which of the two it was.
 *
 * @example injectedFault({ mishap: 'drop', fault: null }) // 'drop by magic name'
 */
export function injectedFault({ mishap, fault }: OutputRow): string | null {
  if (typeof mishap !== 'string') return null
  return `${mishap} by ${typeof fault === 'string' ? fault : 'magic name'}`
}

export const FAULTS: ListView = {
  list: 'faults',
  none: 'no faults',
  columns: [
    ['FAULT', 'id'],
    ['CALLS', (fault) => matchText(fault['match'])],
    ['DOES', (fault) => effectText(fault['effect'])],
    ['CHANCE', 'probability', 'count'],
    ['HITS', 'hits', 'count'],
    ['LEFT', (fault) => fault['left'] ?? 'for ever', 'count'],
    ['LAST REQUEST', 'last_request_id'],
  ],
}

function matchText(match: unknown): string {
  const { key_id: _shownByName, ...wanted } = membersOf(match)
  const parts = Object.values(wanted).filter((value) => value !== null)
  return parts.length === 0 ? 'all' : parts.join(' ')
}

function effectText(effect: unknown): string {
  const { kind, status, code, drop, delay_ms: delayMs, garbage, retry_after_seconds: seconds } = membersOf(effect)
  if (kind === 'delay') return `delay ${delayMs} ms`
  if (kind === 'garbage') return `garbage ${garbage}`
  if (drop !== undefined) return `drop ${drop}`
  return [code, status, seconds === undefined ? undefined : `retry after ${seconds} s`]
    .filter((part) => part !== undefined)
    .join(' ')
}

export function faultText(answer: unknown): string {
  const { match, effect, ...rest } = membersOf(answer)
  return facts({
    id: rest['id'],
    calls: matchText(match),
    does: effectText(effect),
    ...rest,
    times: rest['times'] ?? 'for ever',
  })
}
