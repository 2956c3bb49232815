import { EXIT_CODES } from '../exit-codes.ts'
import { commandError } from '../operator/command-errors.ts'
import type { Group } from '../operator/group.ts'
import type { OperatorCommand } from '../operator/operator-command.ts'
import { membersOf, type OutputRow, rowsOf } from '../output/records.ts'
import { type Column, fields, money, table } from '../output/table.ts'

const AUDIT: OperatorCommand = {
  usage: 'audit',
  options: (audit) => audit.addHelpText('after', '\nExit code 1 if an amount does not add up, else 0.'),
  async run(context) {
    const answer = await context.call('audit.show', {})
    const balanced = isBalanced(answer)
    context.show(answer, auditText)
    if (!balanced) context.session.exitWith(EXIT_CODES.refused)
  },
}

/** Only a boolean counts: an answer without one must never look like a balance. */
function isBalanced(answer: unknown): boolean {
  const { balanced } = membersOf(answer)
  if (typeof balanced === 'boolean') return balanced
  throw commandError('audit-unsaid')
}

function auditText(answer: unknown): string {
  const { balanced, checked, differences_left_out: leftOut } = membersOf(answer)
  const differences = rowsOf(answer, 'differences')
  const counts = Object.entries(membersOf(checked)).map(([name, count]) => [WORDS[name] ?? name, count] as const)
  const facts = fields([['balanced', balanced ? 'yes' : 'no'], ...counts])
  if (differences.length === 0) return facts
  const more = typeof leftOut === 'number' && leftOut > 0 ? `(and ${leftOut} more)\n` : ''
  return `${facts}\n${table(differences, DIFFERENCES)}${more}`
}

const WORDS: Readonly<Record<string, string>> = {
  undone: 'orders undone',
  undone_by_partner: 'of which by the partner',
}

const DIFFERENCES: readonly Column<OutputRow>[] = [
  ['WHAT', 'what'],
  ['ID', 'id'],
  ['EXPECTED', ({ expected, expected_cents: cents }) => amountOr(expected, cents), 'count'],
  ['FOUND', ({ found, found_cents: cents }) => amountOr(found, cents), 'count'],
]

/** An amount as people read it, any other fact as it stands. */
function amountOr(fact: unknown, cents: unknown): unknown {
  return cents === undefined ? fact : money(cents, undefined)
}

export const GROUP: Group = { rows: {}, extras: { '': [AUDIT] } }
