import { HEADERS } from '../../contract/headers.ts'
import { headerValues } from '../http/call.ts'
import type { World } from '../world.ts'
import type { Worlds } from '../worlds.ts'
import type { AnsweredCall } from './coverage.ts'

/** Of each world at most one is told: the next call may well break in the same way. */
const toldOf = new WeakSet<World>()

/**
 * Counts a call in the world it belongs to. One that was refused before anybody looked for its credential belongs to the
 * world whose key id it carries; without any it belongs to the main world, as in the request log. Nothing that a client
 * did depends on it, so what breaks here breaks nothing else.
 */
export function noteCall(worlds: Pick<Worlds, 'main' | 'findCredential'>, answered: AnsweredCall): void {
  const world = answered.call.world ?? ownerOf(worlds, answered) ?? worlds.main
  try {
    world.coverage.note(answered)
  } catch (error) {
    if (toldOf.has(world)) return
    toldOf.add(world)
    const { message, stack } = error instanceof Error ? error : new Error(String(error))
    process.emitWarning(`the coverage of the world ${world.name} is not whole: ${message}`, {
      type: 'CoverageWarning',
      ...(stack !== undefined && { detail: stack }),
    })
  }
}

function ownerOf({ findCredential }: Pick<Worlds, 'findCredential'>, { call }: AnsweredCall) {
  const [keyId] = headerValues(call, HEADERS.keyId)
  return keyId === undefined ? null : findCredential(keyId)?.world
}
