import { DOCUMENT_STATES } from '../../contract/order-states.ts'
import type { RoleName } from '../format/roles.ts'
import { STATE_SIGNS, UNFINISHED } from '../format/state-words.ts'
import type { DialectFile } from '../target/target.ts'

/** Roles whose values are words of the target's own. */
export const WORD_ROLES = ['order.status', 'transaction.payment_model'] as const satisfies readonly RoleName[]

/** The states that the document names; every other one is the target's own. */
export const NAMED_STATES: readonly string[] = DOCUMENT_STATES

/**
 * The states that a target has a word of its own for, by the one word that stands for each of them; one with two words is left out.
 *
 * @example statesIn(['EXTERNALLY_PAID', 'CLAWED_BACK', 'REFUND_PENDING', 'VOID', 'VOIDED']) // { refunded: 'CLAWED_BACK' }
 */
export function statesIn(words: Iterable<string> = []): DialectFile['statuses'] {
  const own = [...words].filter((word) => !NAMED_STATES.includes(word))
  const found: DialectFile['statuses'] = {}
  for (const [state, sign] of STATE_SIGNS) {
    const [only, another] = own.filter((word) => isWordFor(state, sign, word))
    if (only !== undefined && another === undefined) found[state] = only
  }
  return found
}

/** Whether a word is for a state, and not for what is only on its way to it: `REFUND_PENDING` is not for refunded. */
export function isWordFor(state: string, sign: RegExp, word: string): boolean {
  return sign.test(word) && (state === 'held' || !UNFINISHED.test(word))
}

/** How the words of a target give away which sales model they mean; the surest first. */
const MODEL_SIGNS: readonly (readonly [model: keyof DialectFile['paymentModels'], sign: RegExp])[] = [
  ['brokerage', /broker/i],
  ['hosted_checkout', /hosted|checkout/i],
  ['partner_collected', /collected|partner|external/i],
]

/** Every model by the one word that stands for it in these; one with two words is left out. */
export function modelsIn(words: Iterable<string> = []): DialectFile['paymentModels'] {
  const all = [...words]
  const found: DialectFile['paymentModels'] = {}
  for (const [model] of MODEL_SIGNS) {
    const own = new Set(all.filter((word) => MODEL_SIGNS.find(([, sign]) => sign.test(word))?.[0] === model))
    const [only] = own
    if (only !== undefined && own.size === 1) found[model] = only
  }
  return found
}
