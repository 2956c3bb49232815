import type { Group } from '../operator/group.ts'
import type { OperatorCommand } from '../operator/operator-command.ts'
import { type OutputRow, rowsOf } from '../output/records.ts'
import { wrapped } from '../output/table.ts'

const LIST: OperatorCommand<{ world?: string }> = {
  usage: 'gap list',
  summary: 'list what the API document leaves open, with the legal values; with --world, what that world chose',
  ofOneWorld: false,
  options: (list) => list.option('--world <name>', 'the choices of this world'),
  async run({ call, session, show }, _args, { world }) {
    const asked = world === undefined ? call('gaps.list', {}) : call('gaps.show', { w: world })
    const widthCharacters = session.outIsTerminal ? session.columns : null
    show(await asked, (answer) => gapsText(answer, widthCharacters))
  },
}

/** The value that holds is marked, and so is one that a world chose against the usual. */
function gapsText(answer: unknown, widthCharacters: number | null): string {
  const rows = rowsOf(answer, 'gaps')
  const ofWorld = rows.some((row) => 'chosen' in row)
  return wrapped(
    rows,
    [
      ['GAP', 'id'],
      ['ROW', 'requirement'],
      [
        ofWorld ? 'CHOSEN' : 'DEFAULT',
        (row) => `${String(holding(row))}${holding(row) === row['default'] ? '' : ' *'}`,
      ],
      ['QUESTION (OTHER VALUES)', (row) => `${String(row['question'])} (${othersText(row)})`],
    ],
    widthCharacters,
  )
}

function holding(row: OutputRow): unknown {
  return 'chosen' in row ? row['chosen'] : row['default']
}

function othersText(row: OutputRow): string {
  if (typeof row['chosen_by'] === 'string') return `chosen by ${row['chosen_by']}`
  const values = Array.isArray(row['values']) ? row['values'] : []
  return values.filter((value) => value !== holding(row)).join(' | ') || 'no other'
}

export const GROUP: Group = { rows: {}, extras: { '': [LIST] } }
