import { isObject } from '../../contract/is-object.ts'
import { wordsIn } from '../../contract/words.ts'
import { escapedKey, places, plain } from '../http/json-body.ts'
import { pageNumber } from './page-numbers.ts'
import { cursorCandidates, ENVELOPE_DEPTH, flagOfMore, type Ground, type Hit, isInEntry, LAST_ENTRY } from './place.ts'

/** Keys of what identifies an entry of any list. */
const IDS = wordsIn('id public_id').map(plain)

/**
 * The id of the last entry, where an answer says that its list goes on and has nothing else that may lead on: services that page so
 * take it for a cursor. Null if they have more than one list.
 *
 * @example lastEntryOf({ json: { data: [{ id: 'o1' }, { id: 'o2' }], has_more: true } }) // { at: '/data/-1/id', value: 'o2' }
 */
export function lastEntryOf(said: Pick<Ground, 'json' | 'headers'>): Hit | null {
  const { json } = said
  if (flagOfMore(json) === null || cursorCandidates(json).length > 0 || pageNumber(said) !== null) return null
  const lists = [...places(json, ENVELOPE_DEPTH)].filter(
    ({ at, value }) => Array.isArray(value) && value.some(isObject) && !isInEntry(at),
  )
  const [only, another] = lists
  const last = only && !another ? (only.value as readonly unknown[]).at(-1) : null
  const id = isObject(last) ? idOf(Object.entries(last)) : undefined
  return only && id ? { at: `${only.at}${LAST_ENTRY}${escapedKey(id[0])}`, value: id[1] } : null
}

/** The member called id, else the only one whose name ends so. */
function idOf(members: readonly (readonly [string, unknown])[]): readonly [string, unknown] | undefined {
  const texts = members.filter(([, value]) => typeof value === 'string' && value !== '')
  const named = IDS.flatMap((id) => texts.filter(([key]) => plain(key) === id))
  const ending = texts.filter(([key]) => /(?:_id|Id)$/.test(key))
  return named[0] ?? (ending.length === 1 ? ending[0] : undefined)
}
