import type { Row } from '../../output/records.ts'
import { isRecord, membersOf, rowsOf } from '../../output/records.ts'
import { type Column, fields, table } from '../../output/table.ts'

const DUE: readonly Column<Row>[] = [
  ['NEXT AT', 'at'],
  ['KIND', 'kind'],
  ['ID', 'id'],
  ['WAITING', 'count'],
]

/** The state of a world: a line of counts for each resource, and what is due. */
export function summaryText(answer: unknown): string {
  const { due, ...counted } = membersOf(answer)
  const lines = Object.entries(counted).map(([name, counts]) => [name, countsText(counts)] as const)
  return `${fields(lines)}\n${table(rowsOf({ due }, 'due'), DUE)}`
}

function countsText(counts: unknown): string {
  if (!isRecord(counts)) return 'none'
  return (
    Object.entries(counts)
      .map(([state, count]) => `${count} ${state}`)
      .join(', ') || 'none'
  )
}
