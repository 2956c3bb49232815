import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { size } from './test/support/size.ts'
import { lacks } from './test/support/tools.ts'

/** Modules are read once a worker, and not once a file: no module of ours has a state of its own. */
const together = { isolate: false }

/** Some files share a core, with servers of their own, and at full size a test does far more. */
const patienceMs = size(60_000, 600_000)

/** `npm test` has just built: its tests take the files of the build, for which nothing has to be translated any more. */
const isBuilt = process.env['IS_BUILT'] === '1'
const resolve = isBuilt && {
  alias: [{ find: /^(?:\.\.\/)+src\/(.+)\.ts$/, replacement: join(import.meta.dirname, 'dist/$1.js') }],
}
const server = isBuilt && { deps: { external: [/\/dist\//] } }

const withoutChromium = lacks('chromium-headless-shell') ? ['**/pages/**'] : []

export default defineConfig({
  test: {
    globalSetup: ['test/support/report-missing-tools.ts', 'test/support/report-unseen.ts'],
    // One more than there are processors, because tests wait for answers and processes; with two more, all of them get slower.
    maxWorkers: availableParallelism() + 1,
    projects: [
      {
        ...(resolve && { resolve }),
        test: {
          ...together,
          ...(server && { server }),
          name: 'inside',
          include: ['test/**/*.test.ts'],
          exclude: ['test/all/**', 'test/e2e/**', 'test/pages/**'],
          testTimeout: patienceMs,
          hookTimeout: patienceMs,
        },
      },
      {
        // Tests that start the built product or look at its pages in a browser.
        ...(resolve && { resolve }),
        test: {
          ...together,
          ...(server && { server }),
          name: 'built',
          include: ['test/e2e/**/*.test.ts', 'test/pages/**/*.test.ts'],
          exclude: withoutChromium,
          globalSetup: ['test/house/build-first.ts', 'test/support/one-chromium.ts'],
          testTimeout: patienceMs,
          hookTimeout: patienceMs,
        },
      },
      {
        // Tests that take too long for every change, wait real seconds, or need programs of their own: `npm run test:all`.
        // Each file has a process to itself, because some let the n-th statement of their process fail.
        test: {
          name: 'all',
          include: ['test/all/**/*.test.ts'],
          exclude: withoutChromium,
          globalSetup: ['test/house/build-first.ts', 'test/support/one-chromium.ts'],
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
    ],
  },
})
