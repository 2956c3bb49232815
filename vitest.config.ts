import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { size } from './test/support/size.ts'
import { lacks } from './test/support/tools.ts'

/** What is imported is read once a worker, and not once a file: no module of ours has a state of its own. */
const together = { isolate: false }

/** Some files share a core, with servers of their own, and at full size a test does far more. */
const patienceMs = size(60_000, 600_000)

export default defineConfig({
  test: {
    globalSetup: ['test/support/report-missing-tools.ts'],
    // Four tenths of a test's time is waiting: for a receiver's five seconds, a run's patience, a process.
    maxWorkers: availableParallelism() + 2,
    projects: [
      {
        test: {
          ...together,
          name: 'inside',
          include: ['test/**/*.test.ts'],
          exclude: ['test/all/**', 'test/e2e/**', 'test/faults/**', 'test/pages/**'],
          globalSetup: ['test/support/report-unseen.ts'],
          testTimeout: patienceMs,
          hookTimeout: patienceMs,
        },
      },
      {
        // What lets the n-th statement or file operation of its process fail, so each file has a process of its own.
        test: {
          name: 'faults',
          include: ['test/faults/**/*.test.ts'],
          testTimeout: patienceMs,
          hookTimeout: patienceMs,
        },
      },
      {
        // What looks at pages in a real browser.
        test: {
          ...together,
          name: 'pages',
          include: lacks('chromium-headless-shell') ? [] : ['test/pages/**/*.test.ts'],
          globalSetup: ['test/support/one-chromium.ts', 'test/support/build-console.ts'],
          testTimeout: patienceMs,
          hookTimeout: patienceMs,
        },
      },
      {
        // What takes too long for every change, or needs packages of its own: `npm run test:all`.
        test: {
          name: 'all',
          include: ['test/all/**/*.test.ts'],
          globalSetup: ['test/house/build-first.ts'],
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
      {
        // What starts the built product: these see dist as it is, so it is brought up to date first.
        test: {
          ...together,
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: ['test/house/build-first.ts'],
          testTimeout: patienceMs,
          hookTimeout: patienceMs,
        },
      },
    ],
  },
})
