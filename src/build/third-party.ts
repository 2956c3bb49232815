import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Manifest {
  name: string
  version: string
  license?: string
}

/**
 * The licenses of the packages whose modules are in a bundle, as their own files say them: most must go where the code goes.
 *
 * @throws Error where a package brings no license
 */
export function licensesOf(modules: readonly string[]): string {
  const folders = new Set(modules.flatMap((id) => folderOf(id) ?? []))
  const texts = [...folders].map(licenseIn).sort()
  return `The files in this folder contain code of these packages.\n\n${texts.join('\n')}`
}

/** The innermost package that a module is from; none for a module of our own. */
function folderOf(id: string): string | null {
  return /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id)?.[0] ?? null
}

function licenseIn(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  if (license === undefined && file === undefined) throw new Error(`${name} ${version} brings no license`)
  const text = file === undefined ? '' : `\n${readFileSync(join(folder, file), 'utf8').trim()}\n`
  return `${'-'.repeat(80)}\n${name} ${version} (${license ?? 'see below'})\n${text}`
}
