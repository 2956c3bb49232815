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
  test: PlainTest & { skip: PlainTest; only: PlainTest; todo(name: string): void }
  afterAll(body: () => Promise<void>): void
}

/** Declares a test. It gets its fixtures. */
export type JestTestDeclaration = (name: string, body: (fixtures: TestFixtures) => unknown, timeoutMs?: number) => void

/** The `test` of Jest, whose tests get their fixtures. */
export interface JestTest extends JestTestDeclaration {
  skip: JestTestDeclaration
  only: JestTestDeclaration
  todo(name: string): void
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
    (declare: PlainTest): JestTestDeclaration =>
    (name, body, timeoutMs) => {
      const inWorld = async () => {
        opening ??= openTestSandbox(options.sandboxOptions)
        await inTestWorld(name, await opening, options, body)
      }
      declare(name, inWorld, timeoutMs)
    }
  const { skip, only, todo } = plainTest
  return Object.assign(declaring(plainTest), { skip: declaring(skip), only: declaring(only), todo })
}

/** The `test` of Jest with a sandbox in it. A test that fails reports what its world refused, and why. */
export const test: JestTest = testWith({})
