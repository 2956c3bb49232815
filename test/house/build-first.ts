import { execFileSync } from 'node:child_process'
import { repoRoot } from './repo.ts'

/** Set by `test/stages.mjs`, which has just built. */
const IS_BUILT = process.env['IS_BUILT'] === '1'

/** Builds dist before tests that run the built product, so that nobody tests yesterday's build. */
export function setup(): void {
  if (IS_BUILT) return
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: repoRoot, stdio: ['ignore', 'inherit', 'inherit'] })
}
