/**
 * Fixtures for Jest: a test says `world` and has one, with credentials, clock and orders of its own, gone when it is over.
 *
 * @example
 * import { test } from 'partner-sandbox/jest'
 *
 * test('an order is recorded once', async ({ world }) => {
 *   expect(await world.orders.all()).toEqual([])
 * })
 *
 * @packageDocumentation
 */
import type { Sandbox } from './index.ts'
import { inTestWorld, openTestSandbox, type TestFixtures, type TestOptions } from './library/test-world.ts'

type PlainTest = (name: string, body: () => Promise<void>, timeoutMs?: number) => void

/** What Jest gives every test file. */
interface JestGlobals {
  test: PlainTest & { readonly skip: PlainTest; readonly only: PlainTest }
  afterAll(body: () => Promise<void>): void
}

/** Declares a test. It gets its fixtures. */
type Declare = (name: string, body: (fixtures: TestFixtures) => unknown, timeoutMs?: number) => void

/** Declares a test, or with `skip` and `only` what they are with Jest. */
export interface JestTest extends Declare {
  readonly skip: Declare
  readonly only: Declare
}

/**
 * The `test` of Jest with fixtures made in this way.
 *
 * @throws TypeError if Jest does not run this file.
 * @example const frozen = testWith({ worldOptions: { frozen: true } })
 */
export function testWith(options: TestOptions): JestTest {
  let opening: Promise<Sandbox> | undefined
  const { test: plainTest, afterAll } = globalThis as typeof globalThis & Partial<JestGlobals>
  if (!plainTest || !afterAll) throw new TypeError('partner-sandbox/jest is for test files of Jest')
  afterAll(async () => (await opening)?.close())
  const declaring =
    (declare: PlainTest): Declare =>
    (name, body, timeoutMs) =>
      declare(
        name,
        async () => {
          opening ??= openTestSandbox(options.sandboxOptions)
          await inTestWorld(name, await opening, options, body)
        },
        timeoutMs,
      )
  return Object.assign(declaring(plainTest), { skip: declaring(plainTest.skip), only: declaring(plainTest.only) })
}

/** The `test` of Jest with a sandbox in it. A test that fails reports what its world refused, and why. */
export const test: JestTest = testWith({})
