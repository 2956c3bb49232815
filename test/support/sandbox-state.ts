import { cpSync, readdirSync, rmSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { isArmed } from '../../src/sandbox/app/faults.ts'
import { loadCredentials } from '../../src/sandbox/kernel/credentials.ts'
import { advancing } from '../../src/sandbox/worlds/advance.ts'
import { schedulerOf } from '../../src/sandbox/worlds/open-world.ts'
import type { StoredWorldFacts } from '../../src/sandbox/worlds/world-facts.ts'
import type { Worlds } from '../../src/sandbox/worlds/worlds.ts'
import { type Breakable, openTiny } from './breakable.ts'
import { dump } from './dump.ts'
import { tempFolder } from './temp-folder.ts'
import type { castMember } from './world.ts'

/** The handles of calls are numbered, so each try has others. */
export function withoutHandles(text: string): string {
  return text.replace(/req_\w+/g, 'req_…')
}

/** Of coverage: a timer writes what is counted of calls. */
const WRITTEN_AT_ONCE = /^(?:start|baseline)\|/

/** All that a sandbox keeps, in its tables, its memory and its folder, as far as two runs have it alike. */
export function everythingOf(on: Breakable): object {
  const worlds = on.worlds.list().filter((world) => world !== on.worlds.main)
  const known = worlds.map((world) => ({
    name: world.name,
    tables: Object.entries(dump(world.db)).map(([table, rows]) => [
      table,
      rows.filter((row) => table !== 'coverage_tallies' || WRITTEN_AT_ONCE.test(row)).map(withoutHandles),
    ]),
    settings: structuredClone(world.settings),
    clock: { ...world.clock.state, ...(world.clock.state.mode === 'frozen' && { nowMs: world.clock.nowMs() }) },
    next: world.scheduler.peek(),
    isMoving: advancing(world) !== null,
  }))
  const files = on.dataDir === null ? [] : readdirSync(on.dataDir).filter((file) => file.endsWith('.sqlite'))
  return { known, files: files.sort() }
}

/** Where what a sandbox has in memory says otherwise than its tables. */
export function disagreementsOf({ worlds }: Breakable): string[] {
  return worlds.list().flatMap((world) => {
    const found: string[] = []
    const same = (what: string, memory: unknown, tables: unknown) => {
      if (!isDeepStrictEqual(memory, tables)) found.push(`${what} of ${world.name}`)
    }
    const stored = world.db.prepare<[], string>("SELECT value FROM meta WHERE key = 'world'").pluck().get() as string
    const facts = JSON.parse(stored) as StoredWorldFacts
    same('settings', world.settings, facts.settings)
    same('clock', world.clock.state, facts.clock)
    same(
      'credentials',
      [...world.credentials.values()].map(ofCredential),
      [...loadCredentials(world.db).values()].map(ofCredential),
    )
    for (const keyId of world.credentials.keys()) same(keyId, worlds.findCredential(keyId)?.world, world)
    const faults = world.db.prepare('SELECT 1 FROM faults').get() !== undefined
    if (faults) same('faults', isArmed(world), true)
    same('what is due next', world.scheduler.peek(), schedulerOf(world).peek())
    if (world.db.inTransaction) found.push(`a transaction of ${world.name} is still open`)
    return found
  })
}

function ofCredential({ rateWindow: _window, hmacKey, ...rest }: ReturnType<typeof castMember>) {
  return { ...rest, hmacKey: hmacKey.key.export().toString('hex') }
}

/** Where another start would find something else in the folder than this sandbox has. */
export function lostByRestart({ worlds, dataDir, wall }: Breakable): string[] {
  if (dataDir === null) return []
  const copy = tempFolder()
  cpSync(dataDir, copy, { recursive: true })
  const restarted = openTiny(copy, wall)
  const tables = (all: Worlds) =>
    all
      .list()
      .map((world) => [world.name, dump(world.db)] as const)
      .sort()
  const isSame = isDeepStrictEqual(tables(restarted), tables(worlds))
  restarted.close()
  rmSync(copy, { recursive: true })
  return isSame ? [] : ['another start finds something else']
}
