import { isAccepted } from '../http/answer.ts'
import { planOf } from '../signing/sign-plan.ts'
import type { DialectFile } from '../target/target.ts'
import type { ScenarioRun } from './scenario-run.ts'
import { converse } from './send-call.ts'

export type PaymentModelName = keyof DialectFile['paymentModels']

/** How the words of a target give away which sales model they mean; the surest first. */
const SIGNS: readonly (readonly [model: PaymentModelName, sign: RegExp])[] = [
  ['brokerage', /broker/i],
  ['hosted_checkout', /hosted|checkout/i],
  ['partner_collected', /collected|partner|external/i],
]

/** Every model by the one word that stands for it in these; one with two words is left out. */
export function modelsIn(words: readonly string[]): DialectFile['paymentModels'] {
  const found: DialectFile['paymentModels'] = {}
  for (const [model] of SIGNS) {
    const own = new Set(words.filter((word) => SIGNS.find(([, sign]) => sign.test(word))?.[0] === model))
    const [only] = own
    if (only !== undefined && own.size === 1) found[model] = only
  }
  return found
}

/** Learns the target's names of the models from its transactions, unless the target file gives them. */
export async function learnPaymentModels(scenarioRun: ScenarioRun): Promise<void> {
  const { run, services } = scenarioRun
  const known = { ...run.learned.paymentModels, ...run.target.dialect.paymentModels }
  if (SIGNS.every(([model]) => known[model] !== undefined)) return
  const op = 'transactions.list'
  const { answer } = await converse(scenarioRun, { op, plan: planOf(op), credential: services.credentials.main })
  if (!isAccepted(answer)) return
  const list = run.dialect.items('transactions.items', answer)
  const words = (list.found ? list.items : []).flatMap((json) => {
    const found = run.dialect.find('transaction.payment_model', { json, op })
    return found.found && typeof found.value === 'string' ? [found.value] : []
  })
  Object.assign(run.learned.paymentModels, modelsIn(words))
}
