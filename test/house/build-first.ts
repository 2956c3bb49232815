import { execFileSync } from 'node:child_process'
import { repoRoot } from './repo.ts'

/** Builds dist before tests that run the built product, so that nobody tests yesterday's build. */
export function setup(): void {
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: repoRoot, stdio: ['ignore', 'inherit', 'inherit'] })
}
