import { posix } from 'node:path'
import { BORDER, ROOMS, type Room } from './rooms.ts'

/** Whether a name of the table (`contract`, `sandbox/*`, `server.ts`) covers a file under src. */
function covers(name: string, file: string): boolean {
  if (name.endsWith('/*')) return posix.dirname(file) === name.slice(0, -2)
  return file === name || file.startsWith(`${name}/`)
}

/** The row that speaks for a file under src: the longest name that covers it. */
export function roomOf(file: string, rooms: readonly Room[] = ROOMS): Room | undefined {
  const rows = rooms.filter((row) => covers(row.room, file))
  return rows.sort((a, b) => b.room.length - a.room.length)[0]
}

function matches(pattern: string, text: string): boolean {
  const [head = '', tail] = pattern.split('*')
  return tail === undefined ? text === pattern : text.startsWith(head) && text.endsWith(tail)
}

function judgePackage(row: Room, specifier: string): string | undefined {
  const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
  if (row.packages.some((allowed) => matches(allowed, name))) return undefined
  return `${row.room} may not import the package ${name}`
}

function named(patterns: readonly string[], file: string): boolean {
  return patterns.some((pattern) => matches(pattern, posix.basename(file)))
}

function judgeFile(row: Room, file: string, target: string, rooms: readonly Room[]): string | undefined {
  const owner = roomOf(target, rooms)
  if (!owner) return `${target} is in no room of the table`
  if (owner === row) return undefined
  const open = named(BORDER, file) ? [...row.may, ...(row.borderMay ?? [])] : row.may
  if (!open.some((name) => covers(name, target))) return `${row.room} may not import ${owner.room}`
  if (!named(row.never ?? [], target)) return undefined
  return `${row.room} may use the rules of ${owner.room}, not its ${posix.basename(target)}`
}

/**
 * What the table has against one import, in one sentence; undefined where nothing.
 *
 * @param file path under src with forward slashes
 * @param specifier as written in the file
 * @example judgeImport('clock/duration.ts', '../storage/db.ts') // 'clock may not import storage'
 */
export function judgeImport(file: string, specifier: string, rooms: readonly Room[] = ROOMS): string | undefined {
  const row = roomOf(file, rooms)
  if (!row) return `${file} is in no room of the table`
  if (!specifier.startsWith('.')) return judgePackage(row, specifier)
  const target = posix.join(posix.dirname(file), specifier)
  if (target.startsWith('..')) return `${file} may not import ${specifier}, which is outside src`
  return judgeFile(row, file, target, rooms)
}
