import { SandboxRefusal } from '../operator-api/refusals.ts'
import { failureReport } from './failure-report.ts'
import { connectSandbox, type Sandbox } from './sandbox.ts'
import { type SandboxOptions, startSandbox } from './start-sandbox.ts'
import type { World, WorldOptions } from './world.ts'

/** What a test can ask for by name, in every test runner. */
export interface TestFixtures {
  /** The sandbox of this process, or the one at `PARTNER_SANDBOX_URL`. */
  sandbox: Sandbox
  /** A world of this test alone. */
  world: World
}

/** How fixtures are made. */
export interface TestOptions {
  /** How the sandbox is started, unless `PARTNER_SANDBOX_URL` names one that runs. */
  sandboxOptions?: SandboxOptions
  worldOptions?: WorldOptions
}

/** The sandbox of a test process: the one that the environment names, or one of its own. */
export function openTestSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { PARTNER_SANDBOX_URL: url, PARTNER_SANDBOX_OPERATOR_TOKEN: token } = process.env
  return url ? connectSandbox({ url, token: token || null }) : startSandbox(options)
}

/**
 * Runs a test with a world of its own. A test that fails reports what its world refused, and why.
 *
 * @param name of the test.
 */
export async function inTestWorld(
  name: string,
  sandbox: Sandbox,
  { worldOptions }: TestOptions,
  body: (fixtures: TestFixtures) => unknown,
): Promise<void> {
  const world = await sandbox.createWorld(worldOptions)
  try {
    await body({ sandbox, world })
  } catch (error) {
    await reportFailedTest(world, name)
    throw error
  } finally {
    await deleteTestWorld(world)
  }
}

/** A failure of the report must not hide why the test failed. */
export async function reportFailedTest(world: World, test: string): Promise<void> {
  const report = await failureReport(world).catch((error: Error) => `world ${world.name}: ${error.message}\n`)
  // By the console and not by the stream, so that a runner puts it beside the test, in every reporter.
  console.error(`of the failed test ${JSON.stringify(test)}: ${report}`)
}

export async function deleteTestWorld(world: World): Promise<void> {
  await world.delete().catch((error) => {
    // A test may have deleted it itself.
    if (!(error instanceof SandboxRefusal && error.status === 404)) throw error
  })
}
