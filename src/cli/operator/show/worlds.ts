import { column } from '../../output/columns.ts'
import { outline } from '../../output/outline.ts'
import { isRecord, type Row, rowsOf } from '../../output/records.ts'
import { fields, table } from '../../output/table.ts'

/** Secrets are shown here and never again: this is where somebody asked for them. */
export function createdWorld(answer: unknown): string {
  const world = isRecord(answer) ? answer['world'] : undefined
  const credentials = rowsOf(answer, 'credentials')
  return `${fields([['world', world]])}${chosenOtherwise(answer)}\n${table(credentials, [
    { heading: 'CREDENTIAL', cell: (row) => row['name'] },
    { heading: 'KEY ID', cell: (row) => row['key_id'] },
    { heading: 'SECRET', cell: (row) => row['secret'] },
    { heading: 'SCOPES', cell: (row) => row['scopes'] },
  ])}`
}

/** The open points that a world decides otherwise than usual, drawn ones as well. */
function chosenOtherwise(world: unknown): string {
  const gaps = Object.entries(isRecord(world) && isRecord(world['gaps']) ? world['gaps'] : {})
  if (gaps.length === 0) return ''
  return `\nopen points decided otherwise than usual\n${fields(gaps).replace(/^(?=.)/gm, '  ')}`
}

/** One world: its facts, and who may call it. */
export function worldText(answer: unknown): string {
  const { credentials, ...facts } = isRecord(answer) ? answer : {}
  return `${outline(facts)}\n${credentialTable(rowsOf({ credentials }, 'credentials'))}`
}

/** Who may call a world, without secrets. */
export function credentialTable(credentials: readonly Row[]): string {
  return table(credentials, [
    column('CREDENTIAL', 'name'),
    column('KEY ID', 'key_id'),
    column('PARTNER', 'partner_id'),
    column('SCOPES', 'scopes'),
    column('AFFILIATE', 'affiliate'),
    column('MERCHANT', 'merchant_of_record'),
    column('REVOKED', 'revoked'),
  ])
}

/** One line a world: which it is, where its clock stands and how to call it. */
export function worldList(answer: unknown): string {
  return table(rowsOf(answer, 'worlds'), [
    { heading: 'WORLD', cell: (row) => row['world'] },
    { heading: 'CLOCK', cell: (row) => row['mode'] },
    { heading: 'NOW', cell: (row) => row['now'] },
    { heading: 'SEED', cell: (row) => row['seed'] },
    { heading: 'LISTINGS', cell: (row) => row['inventory'], align: 'right' },
    { heading: 'PROGRESS', cell: (row) => progressOf(row['progress']) },
    { heading: 'KEY ID OF MAIN', cell: (row) => row['main_key_id'] },
  ])
}

function progressOf(progress: unknown): string {
  const waits = Object.entries(isRecord(progress) ? progress : {}).filter(([, wait]) => typeof wait === 'string')
  return waits.map(([name, wait]) => `${name.replaceAll('_', ' ')} ${String(wait)}`).join(', ') || 'manual'
}
