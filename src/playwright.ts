/**
 * Fixtures for Playwright: a test says `world` and has one, with credentials, clock and orders of its own, gone when it is over.
 *
 * @example
 * import { expect } from '@playwright/test'
 * import { test } from 'partner-sandbox/playwright'
 *
 * test('a buyer pays on the hosted page', async ({ page, world }) => {
 *   const { json } = await world.call('POST', '/checkout-session', session)
 *   await page.goto(json.checkout_url)
 * })
 *
 * @packageDocumentation
 */
import { test as plainTest } from '@playwright/test'
import type { Sandbox, SandboxOptions, World, WorldOptions } from './index.ts'
import { openTestSandbox, reportFailedTest } from './library/test-world.ts'

/** What a test can ask for by name. */
export interface PlaywrightFixtures {
  /** How the worlds are made: `test.use({ worldOptions: { frozen: true } })`. */
  worldOptions: WorldOptions
  /** A world of this test alone. */
  world: World
}

/** What all tests of a worker share. */
export interface PlaywrightWorkerFixtures {
  /** How the sandbox is started where `PARTNER_SANDBOX_URL` names none. */
  sandboxOptions: SandboxOptions
  sandbox: Sandbox
}

/** The `test` of Playwright with a sandbox in it. A test that fails reports what its world refused, and why. */
export const test = plainTest.extend<PlaywrightFixtures, PlaywrightWorkerFixtures>({
  sandboxOptions: [{}, { scope: 'worker', option: true }],
  worldOptions: [{}, { option: true }],
  sandbox: [
    async ({ sandboxOptions }, use) => {
      const sandbox = await openTestSandbox(sandboxOptions)
      await use(sandbox)
      await sandbox.close()
    },
    { scope: 'worker' },
  ],
  world: async ({ sandbox, worldOptions }, use, info) => {
    const world = await sandbox.createWorld(worldOptions)
    await use(world)
    if (info.status !== info.expectedStatus) await reportFailedTest(world, info.title)
    await world[Symbol.asyncDispose]()
  },
})
