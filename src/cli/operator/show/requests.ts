import { isOtherTime } from '../../../clock/instant.ts'
import { type OutputRow, rowsOf } from '../../output/records.ts'
import type { ListView } from '../../output/table.ts'
import { injectedFault } from './fault.ts'

export const REQUESTS: ListView = {
  list: 'requests',
  none: 'no requests',
  columns: [
    ['REQUEST', 'request_id'],
    // As --since and --until take it, and the logs of the client have it.
    ['AT', 'at'],
    ['METHOD', 'method'],
    ['TARGET', 'target'],
    ['STATUS', 'status'],
    ['CODE', 'code'],
    ['CREDENTIAL', 'credential'],
    ['ON PURPOSE', injectedFault],
    // The longest, and empty for most calls: last, it makes no other line longer where nothing is cut.
    ['REASON', ({ reason, ...row }) => reason ?? findingsOf(row)[0]],
  ],
  below: (answer) =>
    rowsOf(answer, 'requests').some(({ at, world_time }) =>
      isOtherTime(Date.parse(String(world_time)), Date.parse(String(at))),
    )
      ? '(AT is real time, as --since takes it; "request show" has the world’s time too)\n'
      : '',
}

export function findingsOf({ findings }: OutputRow): string[] {
  return Array.isArray(findings) ? findings.map(String) : []
}
