import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder that holds package.json. */
export const repoRoot = fileURLToPath(new URL('../..', import.meta.url))

/** Files that are committed or would be by `git add .`, as paths from the root, sorted. */
export function repoFiles(...under: readonly string[]): string[] {
  const listing = execFileSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...under],
    {
      cwd: repoRoot,
      encoding: 'utf8',
    },
  )
  const files = [...new Set(listing.split('\0'))]
  return files.filter((file) => file !== '' && existsSync(join(repoRoot, file))).sort()
}
