import type { WallClock } from '../../src/clock/wall-clock.ts'
import { RULES, type Rules } from '../../src/contract/rules.ts'
import { NO_DEFECT_HOOKS } from '../../src/sandbox/app/defect-hooks.ts'
import type { Environment } from '../../src/sandbox/app/environment.ts'
import { randomKeys } from '../../src/sandbox/kernel/credentials.ts'
import type { Credential } from '../../src/sandbox/kernel/world.ts'
import { createWorld } from '../../src/sandbox/worlds/open-world.ts'
import { openSnapshot, restoreWorld } from '../../src/sandbox/worlds/snapshots.ts'
import type { ServerParts, WorldOptions } from '../../src/sandbox/worlds/world-options.ts'

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
): Environment {
  const { wall = setWall(), file = null, rules = RULES, ...rest } = options
  return createWorld(
    'test',
    file,
    { seed: 'test', inventory: 50, clockMs: TEST_NOW_MS, frozen: true, rateLimit: null, ...rest },
    randomKeys,
    testServerParts(wall, rules),
  )
}

export function testServerParts(wall: WallClock = setWall(), rules: Rules = RULES): ServerParts {
  return { wall, rules, hooks: NO_DEFECT_HOOKS, publicUrl: () => 'http://127.0.0.1' }
}

export function castMember(world: Environment, name: string): Credential {
  const found = [...world.credentials.values()].find((credential) => credential.name === name)
  if (!found) throw new Error(`the cast has no ${name}`)
  return found
}

/** Takes a world to what a snapshot says. */
export function restoreNow(
  world: Environment,
  bytes: Uint8Array,
  isTaken: (keyId: string) => boolean = () => false,
): void {
  restoreWorld(world, openSnapshot(bytes, world), isTaken)
}
