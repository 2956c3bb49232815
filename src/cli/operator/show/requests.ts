import type { OutputRow } from '../../output/records.ts'
import type { ListView } from '../../output/table.ts'
import { injectedFault } from './fault.ts'

export const REQUESTS: ListView = {
  list: 'requests',
  none: 'no requests',
  columns: [
    ['REQUEST', 'request_id'],
    // As orders, events and deliveries have it; `request show` has the real time too.
    ['AT', 'world_time'],
    ['METHOD', 'method'],
    ['TARGET', 'target'],
    ['STATUS', 'status'],
    ['CODE', 'code'],
    ['CREDENTIAL', 'credential'],
    ['ON PURPOSE', injectedFault],
    // The longest, and empty for most calls: last, it makes no other line longer where nothing is cut.
    ['REASON', ({ reason, ...row }) => reason ?? findingsOf(row)[0]],
  ],
}

export function findingsOf({ findings }: OutputRow): string[] {
  return Array.isArray(findings) ? findings.map(String) : []
}
