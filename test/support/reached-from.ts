import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { repoRoot } from '../house/repo.ts'

/** Imports that are carried out when the file is loaded: neither types nor `import()`. */
const AT_ONCE = /^(?:import|export)\s(?!type\s)(?:[\w*{}\s,$]+\sfrom\s)?'(\.[^']+)'/gm

/**
 * The files of ours that loading one of them loads at once, itself included.
 *
 * @param file path from the root of the repository
 */
export function reachedFrom(file: string): string[] {
  const reached = new Set<string>()
  const visit = (path: string): void => {
    if (reached.has(path)) return
    reached.add(path)
    const text = readFileSync(join(repoRoot, path), 'utf8')
    for (const [, specifier = ''] of text.matchAll(AT_ONCE)) visit(posix.join(posix.dirname(path), specifier))
  }
  visit(file)
  return [...reached]
}
