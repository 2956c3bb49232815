import { PAYMENT_MODELS } from '../../contract/payment-models.ts'
import { choicesIn } from '../dialect/asked-fields.ts'
import { isWordFor, modelsIn, NAMED_STATES } from '../dialect/words.ts'
import type { RoleName } from '../format/roles.ts'
import { STATE_SIGNS } from '../format/state-words.ts'
import { LIST_OF } from '../format/step-facts.ts'
import { isRefused } from '../http/exchange.ts'
import { places } from '../http/json-body.ts'
import { type Finding, findingOf, type Sighting } from './discovery.ts'
import { acceptedOf, type Scout, shownAt } from './scout.ts'

/** What the target calls order states and sales models, as far as its lists, or its refusals of an unknown word, show any. */
export async function learnWords(scout: Scout): Promise<Finding[]> {
  return [
    ...statuses(scout, await wordsListed(scout, 'orders.list', 'status', hasState)),
    ...models(scout, await wordsListed(scout, 'transactions.list', 'payment_model', hasModels)),
  ]
}

/** A refusal may list something else, the names of parameters for one: states are among those that the document names. */
const hasState = (words: readonly string[]): boolean => words.some((word) => NAMED_STATES.includes(word))
const hasModels = (words: readonly string[]): boolean => Object.keys(modelsIn(words)).length > 1

/** The words that the refusal of an unknown one lists. */
async function wordsListed(
  scout: Scout,
  op: 'orders.list' | 'transactions.list',
  param: string,
  isList: (words: readonly string[]) => boolean,
): Promise<Word[]> {
  const seen = await scout.read(op, { query: [[param, 'NO_SUCH_WORD']] })
  if (!isRefused(seen.answer)) return []
  const words = [...places(seen.answer.json)].flatMap(({ at, value }) => {
    const listed = typeof value === 'string' ? choicesIn(value) : []
    return isList(listed) ? listed.map((word) => [word, at] as const) : []
  })
  return [...new Map(words)].map(([value, at]) => ({ value, about: null, evidence: shownAt(seen, at, value) }))
}

function statuses(scout: Scout, listed: readonly Word[]): Finding[] {
  const onOrders = wordsUnder(scout, 'orders.list', 'order.status')
  const seen = [...onOrders, ...listed].filter(({ value }) => !NAMED_STATES.includes(value))
  // A word that no sign is about may be any of the states that have none.
  const unknown = seen.filter(({ value }) => !STATE_SIGNS.some(([, sign]) => sign.test(value)))
  return STATE_SIGNS.map(([name, sign]) => {
    const told = scout.run.dialect.settings.statuses[name]
    const sightings = seen.filter(({ value }) => isWordFor(name, sign, value))
    // Where the target has listed all its words, none of the others is meant.
    return word(['dialect', 'statuses', name], told, sightings, listed.length > 0 ? [] : unknown)
  })
}

function models(scout: Scout, listed: readonly Word[]): Finding[] {
  const seen = [...wordsUnder(scout, 'transactions.list', 'transaction.payment_model'), ...listed]
  const known = modelsIn(seen.map(({ value }) => value))
  const claimed = Object.values(known)
  const unclaimed = seen.filter(({ value }) => !claimed.includes(value) && !/refer|affiliate/i.test(value))
  return PAYMENT_MODELS.map((name) => {
    const told = scout.run.dialect.settings.paymentModels[name]
    const sightings = seen.filter(({ value }) => value === known[name])
    return word(['dialect', 'payment_models', name], told, sightings, unclaimed)
  })
}

/** @param others what it could be if nothing was seen of it. */
function word(path: Finding['path'], told: unknown, sightings: readonly Word[], others: readonly Word[]): Finding {
  return findingOf(path, {
    told,
    sightings,
    unclear: sightings.length > 0 ? [] : others,
    severalNote: 'the lists do not show which of these words it is, if any',
    nothing: { state: 'not-seen', note: 'nothing on the lists is in it' },
  })
}

type Word = Sighting & { value: string }

/** Every word under a role on a list. */
function wordsUnder(scout: Scout, op: 'orders.list' | 'transactions.list', role: RoleName): Word[] {
  const { dialect } = scout.run
  return acceptedOf(scout, op).flatMap((seen) => {
    const list = dialect.find<readonly unknown[]>(LIST_OF[op] as RoleName, seen.answer)
    if (!list.found) return []
    return list.value.flatMap((json, i) => {
      const found = dialect.find(role, { json, op })
      if (!found.found || typeof found.value !== 'string') return []
      const evidence = shownAt(seen, `${list.at}/${i}${found.at}`, found.value)
      // The same entry on two pages is one thing.
      return [{ value: found.value, about: JSON.stringify(json), evidence }]
    })
  })
}
