import { counted } from '../../../contract/words.ts'
import { outline } from '../../output/outline.ts'
import { membersOf, type OutputRow, recordsIn, rowsOf } from '../../output/records.ts'
import { type Column, cellText, fields, indented, type ListView, table } from '../../output/table.ts'

/** The only output that shows the secrets of a new world. */
export function createdWorld(answer: unknown): string {
  const { world, gaps } = membersOf(answer)
  const credentials = rowsOf(answer, 'credentials')
  const keys = table(credentials, [
    ['CREDENTIAL', 'name'],
    ['KEY ID', 'key_id'],
    ['SECRET', 'secret'],
    ['SCOPES', 'scopes'],
  ])
  // The open points for which the world has a non-default choice, drawn ones included.
  const chosen = Object.entries(membersOf(gaps))
  const choices = chosen.length === 0 ? '' : `\nnon-default choices\n${indented(fields(chosen))}`
  return `${fields([['world', world]])}${choices}\n${keys}`
}

export function worldText(answer: unknown): string {
  const { credentials, ...facts } = membersOf(answer)
  const callers = table(recordsIn(credentials), [
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

const SINGULARS: Readonly<Record<string, string>> = {
  orders: 'order',
  events: 'event',
  deliveries: 'delivery',
  requests: 'request',
}

/** What a reset has removed, and what it has left. */
export function resetText(answer: unknown): string {
  const { world, removed } = membersOf(answer)
  const counts = Object.entries(membersOf(removed)).filter(([, count]) => count !== 0)
  const gone =
    counts.map(([many, count]) => counted(Number(count), SINGULARS[many] ?? many, many)).join(', ') || 'nothing'
  return `reset ${cellText(world)}: removed ${gone}; credentials, settings and choices stay\n`
}

/** What a seeded month has made, and how its orders stand. */
export function seededText(answer: unknown): string {
  const { world, from, to, made, orders } = membersOf(answer)
  const period = `${cellText(from)} to ${cellText(to)}`
  const counts = Object.entries(membersOf(made)).map(([name, count]) => [name.replaceAll('_', ' '), count] as const)
  const about = fields([['world', world], ['month', period], ...counts])
  return `${about}\norders by state\n${indented(fields(Object.entries(membersOf(orders))))}`
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
  below: (answer) =>
    rowsOf(answer, 'unusable')
      .map(({ world, problem }) => `the file of ${cellText(world)} cannot be used: ${cellText(problem)}\n`)
      .join(''),
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

export function summaryText(answer: unknown): string {
  const { due, ...counted } = membersOf(answer)
  const lines = Object.entries(counted).map(([name, counts]) => [name, countsText(counts)] as const)
  return `${fields(lines)}\n${table(recordsIn(due), DUE)}`
}

function countsText(counts: unknown): string {
  const words = Object.entries(membersOf(counts)).map(([state, count]) => `${count} ${state}`)
  return words.join(', ') || 'none'
}
