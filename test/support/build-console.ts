import { build } from 'vite'
import { repoRoot } from '../house/repo.ts'

/** Builds the console and the script of the reference before tests that look at them, so that nobody tests yesterday's build. */
export async function setup(): Promise<void> {
  const config = { configFile: `${repoRoot}/src/console/vite.config.ts`, logLevel: 'warn' } as const
  await build(config)
  await build({ ...config, mode: 'docs' })
}
