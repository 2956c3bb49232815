import { NO_CALL } from './explain-timeout.ts'
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
    await world[Symbol.asyncDispose]()
  }
}

/** A failure of the report must not hide why the test failed. */
export async function reportFailedTest(world: World, test: string): Promise<void> {
  const report = await failureReport(world).catch((error: Error) => `world ${world.name}: ${error.message}\n`)
  // By the console and not by the stream, so that a runner puts it beside the test, in every reporter.
  console.error(`of the failed test ${JSON.stringify(test)}: ${report}`)
}

/** A report is read when the test's world is gone, so a command for that world would find nothing. */
const COMMAND = /: npx partner-sandbox .*$/gm

/**
 * What helps to understand a failed test, a few lines: the world and its seed, its time, the calls that it
 * refused last with the reason of each, and its non-default choices.
 *
 * @example process.stderr.write(await failureReport(world))
 */
export async function failureReport(world: World): Promise<string> {
  const [{ seed, mode, now, gaps }, refusals] = await Promise.all([world.show(), world.refusals()])
  const lines = [`world ${world.name}, seed ${JSON.stringify(seed)}, clock ${mode} at ${now}`]
  lines.push(...refusals.map((refusal) => refusal.replace(COMMAND, '.')))
  const chosen = Object.entries(gaps).map(([id, value]) => `${id} ${value}`)
  if (chosen.length > 0) lines.push(`non-default choices: ${chosen.join(', ')}`)
  if (refusals.length === 0 && (await world.requests.list({ limit: 1 })).requests.length === 0) lines.push(NO_CALL)
  return `${lines.join('\n  ')}\n`
}
