import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

/** The path of another file behind `from`, in a call of `import`, or behind `import` alone. */
const SPECIFIER = /\b(?:from|import)\s*\(?\s*(['"])(\.{1,2}\/[^'"]+)\1/g

/**
 * The declarations that some of them need, themselves included.
 *
 * @param entries files, whose imports name sources (`.ts`, `.tsx`) or outputs (`.js`).
 * @throws Error where one is missing.
 */
export function neededDeclarations(entries: readonly string[]): string[] {
  const found = new Set(entries.map((entry) => resolve(entry)))
  for (const file of found) {
    if (!existsSync(file)) throw new Error(`${file} is not there: the declarations need it`)
    for (const [, , specifier = ''] of readFileSync(file, 'utf8').matchAll(SPECIFIER))
      found.add(resolve(dirname(file), specifier.replace(/\.(?:tsx?|js)$/, '.d.ts')))
  }
  return [...found]
}

/**
 * Copies what the declarations of the package's exports need, so that the package ships these and no others.
 *
 * @param entries paths below `outputs`.
 * @param folder is emptied before.
 */
export function copyPublicTypes(entries: readonly string[], outputs: string, folder: string): void {
  const files = neededDeclarations(entries.map((entry) => join(outputs, entry)))
  rmSync(folder, { recursive: true, force: true })
  for (const file of files) {
    const copy = join(folder, relative(outputs, file))
    mkdirSync(dirname(copy), { recursive: true })
    copyFileSync(file, copy)
  }
}
