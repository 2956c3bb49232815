/**
 * Fixtures for `node:test`: a test says `world` and has one, with credentials, clock and orders of its own, gone when it is over.
 *
 * @example
 * import assert from 'node:assert/strict'
 * import { test } from 'partner-sandbox/node-test'
 *
 * test('an order is recorded once', async ({ world }) => {
 *   assert.equal((await world.orders.all()).length, 0)
 * })
 *
 * @packageDocumentation
 */
import { after, test as plainTest, type TestContext, type TestOptions as TestSettings } from 'node:test'
import type { Sandbox } from './index.ts'
import { inTestWorld, openTestSandbox, type TestFixtures, type TestOptions } from './library/test-world.ts'

type Body = (fixtures: TestFixtures & { t: TestContext }) => unknown

/** Declares a test. It gets its fixtures, and the context of `node:test`. */
interface Declare {
  (name: string, body: Body): void
  /** With the options of `node:test`, such as `timeout`. */
  (name: string, settings: TestSettings, body: Body): void
}

/** Declares a test, or with `skip`, `only` and `todo` what they are with `node:test`. */
export interface NodeTest extends Declare {
  readonly skip: Declare
  readonly only: Declare
  readonly todo: Declare
}

/**
 * The `test` of `node:test` with fixtures made in this way.
 *
 * @example const frozen = testWith({ worldOptions: { frozen: true } })
 */
export function testWith(options: TestOptions): NodeTest {
  let opening: Promise<Sandbox> | undefined
  // Declared here and not in a test, where it would close the sandbox at the end of that test.
  after(async () => (await opening)?.close())
  const declaring =
    (declare: typeof plainTest.only): Declare =>
    (name: string, ...given: [Body] | [TestSettings, Body]) => {
      const [settings, body] = given.length === 1 ? [{}, ...given] : given
      void declare(name, settings, async (t) => {
        opening ??= openTestSandbox(options.sandboxOptions)
        await inTestWorld(name, await opening, options, (fixtures) => body({ ...fixtures, t }))
      })
    }
  const { skip, only, todo } = plainTest
  return Object.assign(declaring(plainTest), {
    skip: declaring(skip),
    only: declaring(only),
    todo: declaring(todo),
  })
}

/** The `test` of `node:test` with a sandbox in it. A test that fails reports what its world refused, and why. */
export const test = testWith({})
