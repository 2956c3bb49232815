/**
 * Fixtures for vitest: a test says `world` and has one, with credentials, clock and orders of its own, gone when it is over.
 *
 * @example
 * import { expect } from 'vitest'
 * import { test } from 'partner-sandbox/vitest'
 *
 * test('a held order waits', async ({ world }) => {
 *   const shop = createShop({ url: world.url, ...world.credentials.main })
 *   const { publicId } = await shop.buy('held-1.test')
 *   await world.waitForOrder(publicId, 'MANUAL_REVIEW')
 * })
 *
 * @packageDocumentation
 */
import { inject, test as plainTest } from 'vitest'
import {
  connectSandbox,
  type OperatorAddress,
  type Sandbox,
  type SandboxOptions,
  startSandbox,
  type World,
  type WorldOptions,
} from './index.ts'
import { reportFailedTest } from './library/test-world.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The sandbox that a global setup shares among all test files. */
    partnerSandbox: OperatorAddress
  }
}

/** What a test can ask for by name. */
export interface SandboxFixtures {
  /** How the sandbox is started where no global setup shares one. */
  sandboxOptions: SandboxOptions
  /** How the worlds are made: `test.extend({ worldOptions: { frozen: true } })`. */
  worldOptions: WorldOptions
  /** The shared sandbox, or one of this worker. */
  sandbox: Sandbox
  /** A world of this test alone. */
  world: World
  /** A world that all tests of a file share, in their order. */
  fileWorld: World
  /** @internal */
  failedFileWorld: undefined
}

/** Those that live now in this worker, so that a failing test can report on them. */
const fileWorlds = new Set<World>()

/** The `test` of vitest with a sandbox in it. A test that fails says what its world refused, and why. */
export const test = plainTest.extend<SandboxFixtures>({
  sandboxOptions: [{}, { scope: 'worker' }],
  worldOptions: [{}, { scope: 'file' }],
  sandbox: [
    async ({ sandboxOptions }, use) => {
      const shared: OperatorAddress | undefined = inject('partnerSandbox')
      const sandbox = await (shared ? connectSandbox(shared) : startSandbox(sandboxOptions))
      await use(sandbox)
      await sandbox.close()
    },
    { scope: 'worker' },
  ],
  world: async ({ sandbox, worldOptions, task }, use) => {
    const world = await sandbox.createWorld(worldOptions)
    await use(world)
    if (task.result?.state === 'fail') await reportFailedTest(world, task.name)
    await world[Symbol.asyncDispose]()
  },
  fileWorld: [
    async ({ sandbox, worldOptions }, use) => {
      const world = await sandbox.createWorld(worldOptions)
      fileWorlds.add(world)
      await use(world)
      fileWorlds.delete(world)
      await world[Symbol.asyncDispose]()
    },
    { scope: 'file' },
  ],
  failedFileWorld: [
    async ({ task }, use) => {
      await use(undefined)
      if (task.result?.state === 'fail') for (const world of fileWorlds) await reportFailedTest(world, task.name)
    },
    { auto: true },
  ],
})
