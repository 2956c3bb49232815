import { isObject } from '../../../contract/is-object.ts'
import { type Matcher, shown } from '../values.ts'
import { type Check, failure, unproven } from './check.ts'
import type { AnswerSeen, Item, ThingsSeen } from './kind.ts'
import { judgePresence } from './things.ts'

// Judges of what the whole run has made.

/** A member that one answer lacks and others have depends on something that no scenario tries alone. */
export function everyAnswerHas(seen: AnswerSeen, roles: readonly string[]): Check | null {
  const { op } = seen.answer
  const answers = seen.writesOfRun().filter(({ answer }) => answer.op === op && isObject(answer.json))
  for (const role of roles) {
    const lacking = answers.filter(({ answer }) => {
      const found = seen.find(role, answer)
      return !found.found || found.value === null
    })
    const [first] = lacking
    // What none of them has is at a place that is not known, or is the matter of those that judge one answer.
    if (first === undefined || lacking.length === answers.length) continue
    return failure(
      `${lacking.length} of ${answers.length} answers of ${op} lack ${role}, the first of them exchange ${first.exchange}`,
    )
  }
  return null
}

/** Whether each of what the run has made is among the items, as the answers to its making said. */
export function hasEach(
  seen: ThingsSeen,
  made: readonly { answer: Item; exchange: string }[],
  same: Readonly<Record<string, string>>,
  { once, word }: { once: boolean; word: string },
): Check | null {
  if (made.length === 0) return unproven(`no such ${word}`, 'this run has recorded none')
  const [[key, keyOfMade] = ['', '']] = Object.entries(same)
  // A row of something else, such as a deal without a domain, may lack what names the things of the run.
  const keys = Array.from({ length: seen.size }, (_, index) => seen.value(index, key))
  const names = keys.map((found) => ('complaint' in found ? null : String(found.value)))
  const nameless = keys.flatMap((found) => ('complaint' in found ? [found.complaint] : []))[0]
  for (const { answer, exchange } of made) {
    const found = seen.find(keyOfMade, answer)
    // An answer without it is the matter of those that judge the answer.
    if (!found.found) continue
    const name = String(found.value)
    const items = itemsAt(
      seen,
      names.flatMap((one, index) => (one === name ? [index] : [])),
    )
    if (items.size === 0 && nameless) return nameless
    const complaint = items.size === 0 ? failure('none') : judgePresence(items, valuesIn(seen, answer, same))
    if (complaint === null && (!once || items.size === 1)) continue
    const thing = `the ${word} ${shown(found.value)}, which exchange ${exchange} has recorded,`
    if (complaint === null) return failure(`${thing} is ${items.size} times among ${seen.size} ${seen.name}`)
    const how = items.size === 0 ? '' : ' as it was recorded'
    return { ...complaint, actual: `${thing} is not among ${seen.size} ${seen.name}${how}` }
  }
  return null
}

/** Some of the things. */
function itemsAt(seen: ThingsSeen, indexes: readonly number[]): ThingsSeen {
  const at = (index: number): number => indexes[index] ?? -1
  return {
    ...seen,
    size: indexes.length,
    value: (index, name) => seen.value(at(index), name),
    judge: (index, matchers) => seen.judge(at(index), matchers),
  }
}

/** What an item has to be that is the same as an order, as far as the answer says it. */
function valuesIn(seen: ThingsSeen, order: Item, same: Readonly<Record<string, string>>): Record<string, Matcher> {
  return Object.fromEntries(
    Object.entries(same).flatMap(([role, roleOfOrder]): [string, Matcher][] => {
      const found = seen.find(roleOfOrder, order)
      return found.found ? [[role, found.value as Matcher]] : []
    }),
  )
}
