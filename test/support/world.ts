import type { WallClock } from '../../src/clock/wall-clock.ts'
import { RULES, type Rules } from '../../src/contract/rules.ts'
import { randomKeys } from '../../src/sandbox/credentials.ts'
import { atOnce } from '../../src/sandbox/in-turns.ts'
import { createWorld } from '../../src/sandbox/open-world.ts'
import { inventoryAtStart, resetWorld } from '../../src/sandbox/reset-world.ts'
import { judgingSnapshot, restoreWorld } from '../../src/sandbox/snapshots.ts'
import type { Surroundings } from '../../src/sandbox/surroundings.ts'
import { NO_TAMPERING } from '../../src/sandbox/tampering.ts'
import { freshDatabase } from '../../src/sandbox/templates.ts'
import type { Credential, World } from '../../src/sandbox/world.ts'
import type { WorldOptions } from '../../src/sandbox/world-options.ts'

/** A machine clock that stands where a test puts it. */
export interface SetWall extends WallClock {
  setMs(nowMs: number): void
}

export const TEST_NOW_MS = Date.UTC(2026, 0, 15, 12)

export function setWall(nowMs = TEST_NOW_MS): SetWall {
  let current = nowMs
  return {
    nowMs: () => current,
    monotonicMs: () => current,
    setMs(next) {
      current = next
    },
  }
}

/** A real world in memory, frozen at noon of 15 January 2026, without any server around it. */
export function testWorld(
  options: Partial<WorldOptions> & { wall?: WallClock; file?: string; rules?: Rules } = {},
): World {
  const { wall = setWall(), file = null, rules = RULES, ...rest } = options
  return createWorld(
    'test',
    file,
    { seed: 'test', inventory: 50, clockMs: TEST_NOW_MS, frozen: true, rateLimit: null, ...rest },
    randomKeys,
    testSurroundings(wall, rules),
  )
}

export function testSurroundings(wall: WallClock = setWall(), rules: Rules = RULES): Surroundings {
  return { wall, rules, tampering: NO_TAMPERING, publicUrl: () => 'http://127.0.0.1' }
}

export function castMember(world: World, name: string): Credential {
  const found = [...world.credentials.values()].find((credential) => credential.name === name)
  if (!found) throw new Error(`the cast has no ${name}`)
  return found
}

/** Takes a world back to its seed without a pause. */
export function resetNow(world: World): void {
  resetWorld(world, freshDatabase(inventoryAtStart(world), null))
}

/** Takes a world to what a snapshot says without a pause. */
export function restoreNow(world: World, bytes: Uint8Array, isTaken: (keyId: string) => boolean = () => false): void {
  restoreWorld(world, atOnce(judgingSnapshot(bytes, world.wall)), isTaken)
}

/** What is taken for a world of which nothing can be read. */
export const USUAL = {
  options: { seed: 'usual', inventory: 5, clockMs: TEST_NOW_MS, frozen: true, rateLimit: null },
  keys: randomKeys,
}
