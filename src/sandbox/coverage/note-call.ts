import { HEADERS } from '../../contract/headers.ts'
import { headerValues } from '../http/call.ts'
import type { Worlds } from '../worlds.ts'
import type { AnsweredCall } from './coverage.ts'

/**
 * Counts a call in the world it belongs to. One that was refused before anybody looked for its credential belongs to the
 * world whose key id it carries; without any it belongs to the main world, as in the request log.
 */
export function noteCall(worlds: Pick<Worlds, 'main' | 'findCredential'>, answered: AnsweredCall): void {
  const world = answered.call.world ?? ownerOf(worlds, answered) ?? worlds.main
  world.coverage.note(answered)
}

function ownerOf({ findCredential }: Pick<Worlds, 'findCredential'>, { call }: AnsweredCall) {
  const [keyId] = headerValues(call, HEADERS.keyId)
  return keyId === undefined ? null : findCredential(keyId)?.world
}
