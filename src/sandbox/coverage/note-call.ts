import { HEADERS } from '../../contract/headers.ts'
import { headerValues } from '../wire/call.ts'
import type { AnsweredCall, CountedWorld } from './coverage.ts'

/**
 * Counts a call in the world it belongs to. One that was refused before anybody looked for its credential belongs to the
 * world whose key id it carries. Without any it belongs to none; it is counted in the main world while that is the only one, and else
 * nowhere, because the suites of other worlds must not spoil its count.
 *
 * @param known the world of the call, if it was found.
 */
export function noteCall(worlds: CountedWorlds, known: CountedWorld | null, answered: AnsweredCall): void {
  const owner = known ?? ownerOf(worlds, answered) ?? null
  const world = owner ?? onlyWorld(worlds)
  world?.coverage.note(answered, { isOwn: owner !== null })
}

/** All worlds, as far as counting their calls takes. */
interface CountedWorlds {
  readonly main: CountedWorld
  findCredential(keyId: string): { world: CountedWorld | null } | null
  list(): readonly CountedWorld[]
}

function onlyWorld(worlds: CountedWorlds): CountedWorld | null {
  return worlds.list().length === 1 ? worlds.main : null
}

function ownerOf({ findCredential }: Pick<CountedWorlds, 'findCredential'>, { call }: AnsweredCall) {
  const [keyId] = headerValues(call, HEADERS.keyId)
  return keyId === undefined ? null : findCredential(keyId)?.world
}
