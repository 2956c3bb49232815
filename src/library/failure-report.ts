import type { World } from './world.ts'

/**
 * What helps to understand a failed test, a few lines: the world and its seed, where its clock stands, and the calls that
 * it refused last with the reason of each.
 *
 * @example process.stderr.write(await failureReport(world))
 */
export async function failureReport(world: World): Promise<string> {
  const [{ seed, mode, now }, refusals] = await Promise.all([world.show(), world.refusals()])
  const lines = [`world ${world.name}, seed ${JSON.stringify(seed)}, clock ${mode} at ${now}`, ...refusals]
  return `${lines.join('\n  ')}\n`
}
