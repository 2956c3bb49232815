import type { SaleHistory } from './histories.ts'
import type { RunRow, SaleRow } from './store.ts'

/** What a statement must say. */
export interface ExpectedStatement {
  grossCents: number
  commissionCents: number
  adjustmentCents: number
  publicIds: Set<string>
}

/** What the ledger must hold for a sale, in sums over its lines. */
type ExpectedSale = Pick<
  SaleRow,
  'entries' | 'grossCents' | 'commissionCents' | 'dueCents' | 'payableCents' | 'unsettledCents'
>

/** What follows from the histories of all sales and the moments of all runs. */
export interface Expectations {
  /** Cents by {@link payoutKey}. */
  payouts: ReadonlyMap<string, number>
  /** By {@link statementKey}. */
  statements: ReadonlyMap<string, ExpectedStatement>
  of(history: SaleHistory): ExpectedSale
}

/** Something that changed what may be paid to a partner. */
interface Contribution {
  at: number
  cents: number
}

/** What is paid together: a partner's commissions, or its cuts. */
const groupOf = ({ partnerId, paymentModel }: SaleHistory) =>
  `${partnerId} ${paymentModel === 'brokerage' ? 'brokerage' : 'commission'}`

export const payoutKey = (runSeq: number, group: string) => `${runSeq} ${group}`

export const statementKey = (runSeq: number, partnerId: string) => `${runSeq} ${partnerId}`

export function expectationsOf(
  histories: Iterable<SaleHistory>,
  runs: { settlement: readonly RunRow[]; payout: readonly RunRow[] },
): Expectations {
  const groups = new Map<string, Contribution[]>()
  const statements = new Map<string, ExpectedStatement>()
  for (const history of histories) {
    const name = groupOf(history)
    const contributions = contributionsOf(history)
    if (contributions.length > 0) groups.set(name, groups.get(name) ?? [])
    groups.get(name)?.push(...contributions)
    state(history, runs.settlement, statements)
  }
  const payouts = new Map<string, number>()
  const paying = new Map<string, RunRow[]>()
  for (const [name, group] of groups) paying.set(name, payGroup(name, group, runs.payout, payouts))
  return {
    payouts,
    statements,
    of: (history) =>
      history.paymentModel === 'partner_collected'
        ? expectedOwn(history, runs.settlement)
        : expectedEarned(history, paying.get(groupOf(history)) ?? []),
  }
}

/** Commission may be paid from completion on; undoing takes back what could already be paid. */
function contributionsOf({ paymentModel, commissionCents, payableAt, undoneAt }: SaleHistory): Contribution[] {
  if (paymentModel === 'partner_collected' || payableAt === null) return []
  const earned = { at: payableAt, cents: commissionCents }
  return undoneAt === null ? [earned] : [earned, { at: undoneAt, cents: -commissionCents }]
}

/** The runs that paid something to a partner; what a run finds not to be positive is left to the next. */
function payGroup(
  name: string,
  group: Contribution[],
  runs: readonly RunRow[],
  payouts: Map<string, number>,
): RunRow[] {
  const inOrder = group.sort((a, b) => a.at - b.at)
  const paying: RunRow[] = []
  let next = 0
  let poolCents = 0
  for (const run of runs) {
    for (; next < inOrder.length && (inOrder[next] as Contribution).at <= run.eventSeq; next++) {
      poolCents += (inOrder[next] as Contribution).cents
    }
    if (poolCents <= 0) continue
    payouts.set(payoutKey(run.seq, name), poolCents)
    paying.push(run)
    poolCents = 0
  }
  return paying
}

/** Puts a settled order into the statement of its run, and what undid it later into that of the run after. */
function state(history: SaleHistory, runs: readonly RunRow[], statements: Map<string, ExpectedStatement>): void {
  const { id, partnerId, priceCents, commissionCents, settledAt, undoneAt } = history
  if (history.paymentModel !== 'partner_collected' || settledAt === null) return
  const settled = statementOf(runNotBefore(runs, settledAt), partnerId, statements)
  if (settled) {
    settled.grossCents += priceCents
    settled.commissionCents += commissionCents
    settled.publicIds.add(id)
  }
  const adjusting = undoneAt === null ? null : statementOf(runNotBefore(runs, undoneAt), partnerId, statements)
  if (adjusting) adjusting.adjustmentCents -= priceCents - commissionCents
}

function statementOf(
  run: RunRow | null,
  partnerId: string,
  statements: Map<string, ExpectedStatement>,
): ExpectedStatement | null {
  if (!run) return null
  const key = statementKey(run.seq, partnerId)
  const found = statements.get(key) ?? noStatement()
  statements.set(key, found)
  return found
}

export function noStatement(): ExpectedStatement {
  return { grossCents: 0, commissionCents: 0, adjustmentCents: 0, publicIds: new Set() }
}

/** The first run that knew of an event. */
function runNotBefore(runs: readonly RunRow[], eventSeq: number): RunRow | null {
  let [low, high] = [0, runs.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((runs[middle] as RunRow).eventSeq < eventSeq) low = middle + 1
    else high = middle
  }
  return runs[low] ?? null
}

/** A sale whose money the partner collected: it keeps its commission and owes the rest until a statement has said so. */
function expectedOwn(history: SaleHistory, runs: readonly RunRow[]): ExpectedSale {
  const { settledAt, undoneAt } = history
  const owedCents = history.priceCents - history.commissionCents
  const isUndone = undoneAt !== null
  const isStated = settledAt !== null && runNotBefore(runs, settledAt) !== null
  const isAdjusted = isStated && owedCents > 0 && isUndone && runNotBefore(runs, undoneAt) !== null
  return {
    ...worthOf(history),
    entries: 1 + Number(isStated) + Number(isUndone) + Number(isAdjusted),
    dueCents: 0,
    payableCents: 0,
    unsettledCents: owedCents * (1 - Number(isStated) - Number(isUndone) + Number(isAdjusted)),
  }
}

/** A sale that earns the partner a commission, which runs pay out. */
function expectedEarned(history: SaleHistory, paying: readonly RunRow[]): ExpectedSale {
  const parts = contributionsOf(history).map(({ at, cents }) => ({ cents, run: runNotBefore(paying, at) }))
  const paidCents = parts.filter(({ run }) => run).reduce((sum, { cents }) => sum + cents, 0)
  const payableCents = parts.filter(({ run }) => !run).reduce((sum, { cents }) => sum + cents, 0)
  const { undoneAt, payableAt, commissionCents } = history
  return {
    ...worthOf(history),
    entries: 1 + Number(undoneAt !== null) + 2 * Number(payableAt !== null) + paidLines(parts),
    dueCents: (undoneAt === null ? commissionCents : 0) - paidCents,
    payableCents,
    unsettledCents: 0,
  }
}

/** One for each run that paid or took back something; what came and went between two runs leaves none. */
function paidLines(parts: readonly { cents: number; run: RunRow | null }[]): number {
  const byRun = new Map<number, number>()
  for (const { cents, run } of parts) if (run) byRun.set(run.seq, (byRun.get(run.seq) ?? 0) + cents)
  return [...byRun.values()].filter((cents) => cents !== 0).length
}

function worthOf({ priceCents, commissionCents, undoneAt }: SaleHistory) {
  return undoneAt === null ? { grossCents: priceCents, commissionCents } : { grossCents: 0, commissionCents: 0 }
}
