// What services call the states of an order that the document does not name.

/** What identifies a word for a state. */
export const STATE_SIGNS: readonly (readonly ['held' | 'refunded' | 'cancelled', RegExp])[] = [
  ['held', /hold|held|review|suspend/i],
  ['refunded', /refund|reimburs|claw|revers|charge.?back/i],
  ['cancelled', /cancel|void|annul/i],
]

/** What is only on its way to a state, or will not get there. */
export const UNFINISHED =
  /pend|request|progress|process|partial|fail|reject|declin|den[iy]|await|non_|won$|able$|ing(?:_|$)/i

/** Whether a word is for an order or a sale that is undone. */
export function isUndone(word: string): boolean {
  return STATE_SIGNS.some(([state, sign]) => state !== 'held' && sign.test(word)) && !UNFINISHED.test(word)
}
