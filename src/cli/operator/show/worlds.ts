import { outline } from '../../output/outline.ts'
import { isRecord, membersOf, type OutputRow, rowsOf } from '../../output/records.ts'
import { type Column, cellText, fields, indented, type ListView, table } from '../../output/table.ts'

/** The only output that shows the secrets of a new world. */
export function createdWorld(answer: unknown): string {
  const { world } = membersOf(answer)
  const credentials = rowsOf(answer, 'credentials')
  return `${fields([['world', world]])}${chosenOtherwise(answer)}\n${table(credentials, [
    ['CREDENTIAL', 'name'],
    ['KEY ID', 'key_id'],
    ['SECRET', 'secret'],
    ['SCOPES', 'scopes'],
  ])}`
}

/** The open points for which a world has a non-default choice, drawn ones included. */
function chosenOtherwise(world: unknown): string {
  const gaps = Object.entries(membersOf(membersOf(world)['gaps']))
  if (gaps.length === 0) return ''
  return `\nnon-default choices\n${indented(fields(gaps))}`
}

/** One world: its facts, and who may call it. */
export function worldText(answer: unknown): string {
  const { credentials, ...facts } = membersOf(answer)
  const callers = table(rowsOf({ credentials }, 'credentials'), [
    ['CREDENTIAL', 'name'],
    ['KEY ID', 'key_id'],
    ['PARTNER', 'partner_id'],
    ['SCOPES', 'scopes'],
    ['AFFILIATE', 'affiliate'],
    ['MERCHANT', 'merchant_of_record'],
    ['REVOKED', 'revoked'],
  ])
  return `${outline(facts)}\n${callers}`
}

/** What a reset has removed, and what it has left. */
export function resetText(answer: unknown): string {
  const { world, removed } = membersOf(answer)
  const counts = Object.entries(membersOf(removed)).filter(([, count]) => count !== 0)
  const gone = counts.map(([what, count]) => `${String(count)} ${what}`).join(', ') || 'nothing'
  return `reset ${cellText(world)}: removed ${gone}; credentials, settings and choices stay\n`
}

export const WORLDS: ListView = {
  list: 'worlds',
  columns: [
    ['WORLD', 'world'],
    ['CLOCK', 'mode'],
    ['NOW', 'now'],
    ['SEED', 'seed'],
    ['LISTINGS', 'inventory', 'count'],
    ['PROGRESS', (world) => progressOf(world['progress'])],
    ['KEY ID OF MAIN', 'main_key_id'],
  ],
  below: (answer) => rowsOf(answer, 'unusable').map(unusableLine).join(''),
}

function unusableLine({ world, problem }: OutputRow): string {
  return `the file of ${cellText(world)} cannot be used: ${cellText(problem)}\n`
}

function progressOf(progress: unknown): string {
  const waits = Object.entries(membersOf(progress)).filter(([, wait]) => typeof wait === 'string')
  return waits.map(([name, wait]) => `${name.replaceAll('_', ' ')} ${String(wait)}`).join(', ') || 'manual'
}

const DUE: readonly Column<OutputRow>[] = [
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
