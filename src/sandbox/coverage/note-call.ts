import { HEADERS } from '../../contract/headers.ts'
import { headerValues } from '../http/call.ts'
import type { World } from '../world.ts'
import type { Worlds } from '../worlds.ts'
import type { AnsweredCall } from './coverage.ts'

/** Of each world at most one is told: the next call may well break in the same way. */
const toldOf = new WeakSet<World>()

/**
 * Counts a call in the world it belongs to. One that was refused before anybody looked for its credential belongs to the
 * world whose key id it carries. Without any it belongs to none; it is counted in the main world while that is the only one, and else
 * nowhere, because the suites of other worlds must not spoil its count. Nothing that a client did depends on it, so what breaks here
 * breaks nothing else.
 */
export function noteCall(worlds: CountedWorlds, answered: AnsweredCall): void {
  const owner = answered.call.world ?? ownerOf(worlds, answered) ?? null
  const world = owner ?? onlyWorld(worlds)
  if (!world) return
  try {
    world.coverage.note(answered, { isOwn: owner !== null })
  } catch (error) {
    warnOnce(world, error)
  }
}

type CountedWorlds = Pick<Worlds, 'main' | 'findCredential' | 'list'>

function onlyWorld({ list, main }: CountedWorlds): World | null {
  return list().length === 1 ? main : null
}

function ownerOf({ findCredential }: Pick<Worlds, 'findCredential'>, { call }: AnsweredCall) {
  const [keyId] = headerValues(call, HEADERS.keyId)
  return keyId === undefined ? null : findCredential(keyId)?.world
}

function warnOnce(world: World, error: unknown): void {
  if (toldOf.has(world)) return
  toldOf.add(world)
  const { message, stack } = error instanceof Error ? error : new Error(String(error))
  process.emitWarning(`the coverage of the world ${world.name} is not whole: ${message}`, {
    type: 'CoverageWarning',
    ...(stack !== undefined && { detail: stack }),
  })
}
