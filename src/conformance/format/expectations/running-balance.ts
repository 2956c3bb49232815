import { shown } from '../matcher.ts'
import { type Check, failure, unproven } from './check.ts'
import { type ThingsSeen, valuesOf } from './kind.ts'

/** Where a line of the ledger has them. */
export const LEDGER = { amount: 'ledger.amount', balance: 'ledger.balance', kind: 'ledger.kind' } as const

const REVERSED = 'reversed'

interface Line {
  amount: number
  balance: number
  kind: string
}

/**
 * Whether each balance is the sum so far, in whichever order the lines come (RPT-03). Where no amount is negative, lines of
 * one kind may all count as plus, as minus or not at all: how a ledger writes its signs is open. What is reversed never raises it.
 */
export function runningBalance(things: Pick<ThingsSeen, 'name' | 'size' | 'value'>): Check | null {
  const [amounts, balances] = [valuesOf(things, LEDGER.amount), valuesOf(things, LEDGER.balance)]
  if ('complaint' in amounts) return amounts.complaint
  if ('complaint' in balances) return balances.complaint
  const kinds = valuesOf(things, LEDGER.kind)
  if ('complaint' in kinds) return kinds.complaint
  const lines = amounts.values.map(
    (amount, at): Line => ({
      amount: Number(amount),
      balance: Number(balances.values[at]),
      kind: String(kinds.values[at]),
    }),
  )
  if (lines.length === 0) return unproven('no line at all', 'there is nothing to add up')
  const read = lines.every(({ amount }) => amount >= 0) ? signsByKind : signsAsWritten
  const [oldestFirst, newestFirst] = [read(lines), read([...lines].reverse())]
  if (oldestFirst === null || newestFirst === null) return null
  const wrong = lines[oldestFirst] as Line
  return failure(
    `${things.name}: line ${oldestFirst + 1} of ${lines.length} has ${shown(wrong.amount)} and the balance ${shown(wrong.balance)}`,
    `read from its first line on, and from its last, ${LEDGER.balance} is not the sum of ${LEDGER.amount} so far`,
  )
}

/** The place of the first line whose balance is not the sum; null if all are. */
function signsAsWritten(lines: readonly Line[]): number | null {
  let sum = 0
  const wrong = lines.findIndex(({ amount, balance, kind }) => {
    sum += amount
    return sum !== balance || (kind === REVERSED && amount > 0)
  })
  return wrong === -1 ? null : wrong
}

function signsByKind(lines: readonly Line[]): number | null {
  const signs = new Map<string, number>()
  let before = 0
  const wrong = lines.findIndex(({ amount, balance, kind }) => {
    const change = balance - before
    before = balance
    if (amount === 0) return change !== 0
    const sign = change / amount
    const known = signs.get(kind) ?? sign
    signs.set(kind, known)
    return ![1, 0, -1].includes(sign) || sign !== known || (kind === REVERSED && sign > 0)
  })
  // One partner must earn something, or every balance of a ledger of zeros would do.
  const earns = [...signs.values()].some((sign) => sign > 0)
  return wrong === -1 ? (earns ? null : 0) : wrong
}
