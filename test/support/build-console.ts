import { build } from 'vite'
import { repoRoot } from '../house/repo.ts'

/** Builds the console before tests that look at it, so that nobody tests yesterday's build. */
export async function setup(): Promise<void> {
  await build({ configFile: `${repoRoot}/src/console/vite.config.ts`, logLevel: 'warn' })
}
