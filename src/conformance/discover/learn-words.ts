import { modelsIn, type PaymentModelName } from '../context/params.ts'
import type { RoleName } from '../format/roles.ts'
import { LIST_OF } from '../format/step-facts.ts'
import type { DialectFile } from '../target/target.ts'
import { type Evidence, type Finding, findingAt } from './discovery.ts'
import { acceptedOf, type Scout, shownAt } from './scout.ts'

/** A word of the target with the answers it was seen in. */
type Words = Map<string, Evidence[]>

type StatusName = keyof DialectFile['statuses']

/** The states that the document names; every other one is the target's own. */
const NAMED = ['EXTERNALLY_PAID', 'TRANSFER_IN_PROGRESS', 'TRANSFER_COMPLETED', 'SETTLED']

/** What identifies a word for a state. */
const STATUS_SIGNS: readonly (readonly [StatusName, RegExp])[] = [
  ['held', /hold|held|review|suspend/i],
  ['refunded', /refund|claw|revers|charge.?back/i],
  ['cancelled', /cancel|void|annul/i],
]

const MODELS: readonly PaymentModelName[] = ['partner_collected', 'hosted_checkout', 'brokerage']

/** What the target calls order states and sales models, as far as its lists show any. */
export function learnWords(scout: Scout): Finding[] {
  return [...statuses(scout), ...models(scout)]
}

function statuses(scout: Scout): Finding[] {
  const words = wordsUnder(scout, 'orders.list', 'order.status')
  const own = [...words.keys()].filter((word) => !NAMED.includes(word))
  return STATUS_SIGNS.map(([name, sign]) => {
    const matching = own.filter((word) => sign.test(word))
    // A word that no sign is about may be any of the states that have none.
    const unknown = own.filter((word) => !STATUS_SIGNS.some(([, other]) => other.test(word)))
    const configured = scout.run.dialect.settings.statuses[name]
    return word(['dialect', 'statuses', name], words, matching, matching.length > 0 ? [] : unknown, configured)
  })
}

function models(scout: Scout): Finding[] {
  const words = wordsUnder(scout, 'transactions.list', 'transaction.payment_model')
  const known = modelsIn([...words.keys()])
  const claimed = Object.values(known)
  return MODELS.map((name) => {
    const one = known[name]
    const unclaimed = [...words.keys()].filter(
      (candidate) => !claimed.includes(candidate) && !/refer|affiliate/i.test(candidate),
    )
    const configured = scout.run.dialect.settings.paymentModels[name]
    return word(
      ['dialect', 'payment_models', name],
      words,
      one === undefined ? [] : [one],
      one === undefined ? unclaimed : [],
      configured,
    )
  })
}

function word(
  path: Finding['path'],
  words: Words,
  matching: readonly string[],
  unclear: readonly string[],
  configured: string | undefined,
): Finding {
  const [only] = matching
  const seen = (list: readonly string[]) => list.flatMap((one) => (words.get(one) ?? []).slice(0, 2))
  if (configured !== undefined) {
    const state = only === undefined || matching.includes(configured) ? 'told' : 'differs'
    return findingAt(path, {
      state,
      value: state === 'told' ? configured : (only ?? configured),
      evidence: seen(matching),
    })
  }
  if (only !== undefined && matching.length === 1) {
    const confidence = (words.get(only) ?? []).length > 1 ? 'confirmed' : 'one answer'
    return findingAt(path, { state: 'found', value: only, confidence, evidence: seen(matching) })
  }
  const candidates = matching.length > 1 ? [...matching] : [...unclear]
  if (candidates.length === 0) return findingAt(path, { state: 'not-seen', note: 'nothing on the lists is in it' })
  const note = 'the lists do not show which of these words it is'
  return findingAt(path, { state: 'needs-dialect', candidates, evidence: seen(candidates), note })
}

/** Every word under a role on a list. */
function wordsUnder(scout: Scout, op: 'orders.list' | 'transactions.list', role: RoleName): Words {
  const { dialect } = scout.run
  const words: Words = new Map()
  for (const seen of acceptedOf(scout, op)) {
    const list = dialect.items(LIST_OF[op] as RoleName, seen.answer)
    if (!list.found) continue
    for (const [i, json] of list.items.entries()) {
      const found = dialect.find(role, { json, op })
      if (!found.found || typeof found.value !== 'string') continue
      const known = words.get(found.value) ?? []
      words.set(found.value, [...known, shownAt(seen, `${list.at}/${i}${found.at}`, found.value)])
    }
  }
  return words
}
