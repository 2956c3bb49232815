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
import { after, type TestOptions as NodeTestOptions, test as plainTest, type TestContext } from 'node:test'
import type { Sandbox } from './index.ts'
import { inTestWorld, openTestSandbox, type TestFixtures, type TestOptions } from './library/test-world.ts'

/** What a test does with its fixtures, and with the context of `node:test`. */
export type NodeTestBody = (fixtures: TestFixtures & { t: TestContext }) => unknown

/** Declares a test, with the options of `node:test` where it needs some. */
export type NodeTestDeclaration = (
  name: string,
  ...rest: [body?: NodeTestBody] | [options: NodeTestOptions, body?: NodeTestBody]
) => void

/** The `test` of `node:test`, whose tests get their fixtures. */
export interface NodeTest extends NodeTestDeclaration {
  skip: NodeTestDeclaration
  only: NodeTestDeclaration
  todo: NodeTestDeclaration
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
    (declare: typeof plainTest.only): NodeTestDeclaration =>
    (name, ...[first, second]) => {
      const [ofTest, body] = typeof first === 'function' ? [{}, first] : [first, second]
      const inWorld = async (t: TestContext) => {
        opening ??= openTestSandbox(options.sandboxOptions)
        await inTestWorld(name, await opening, options, (fixtures) => body?.({ ...fixtures, t }))
      }
      void declare(name, ofTest, body && inWorld)
    }
  return Object.assign(declaring(plainTest), {
    skip: declaring(plainTest.skip),
    only: declaring(plainTest.only),
    todo: declaring(plainTest.todo),
  })
}

/** The `test` of `node:test` with a sandbox in it. A test that fails reports what its world refused, and why. */
export const test = testWith({})
