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
  SandboxRefusal,
  startSandbox,
  type World,
  type WorldOptions,
} from './index.ts'
import { failureReport } from './library/failure-report.ts'

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
    if (task.result?.state === 'fail') await tellOf(world, task.name)
    await deleteWorld(world)
  },
  fileWorld: [
    async ({ sandbox, worldOptions }, use) => {
      const world = await sandbox.createWorld(worldOptions)
      fileWorlds.add(world)
      await use(world)
      fileWorlds.delete(world)
      await deleteWorld(world)
    },
    { scope: 'file' },
  ],
  failedFileWorld: [
    async ({ task }, use) => {
      await use(undefined)
      if (task.result?.state === 'fail') for (const world of fileWorlds) await tellOf(world, task.name)
    },
    { auto: true },
  ],
})

/** Whatever the world has to say must not hide why the test failed. */
async function tellOf(world: World, test: string): Promise<void> {
  const report = await failureReport(world).catch((error: Error) => `world ${world.name}: ${error.message}\n`)
  // By the console and not by the stream, so that vitest puts it beside the test, in every reporter.
  console.error(`of the failed test ${JSON.stringify(test)}: ${report}`)
}

async function deleteWorld(world: World): Promise<void> {
  await world.delete().catch((error) => {
    // A test may have deleted it itself.
    if (!(error instanceof SandboxRefusal && error.status === 404)) throw error
  })
}
