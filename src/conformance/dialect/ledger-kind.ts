const KINDS: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['paid_out', /^(paid|paidout|payout|payouts|disbursed)$/],
  ['reversed', /^(reversed|reversal|reverse|clawback|clawedback)$/],
  ['pending', /^(pending|payable)$/],
  ['accrued', /^(accrued|accrual|accrue|earned)$/],
]

/**
 * The kind of a ledger line in the document's words, however a target spells it; any other word as it stands.
 *
 * @example ledgerKind('PAID OUT') // 'paid_out'
 */
export function ledgerKind(value: unknown): unknown {
  const letters = String(value)
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '')
  return KINDS.find(([, pattern]) => pattern.test(letters))?.[0] ?? value
}
