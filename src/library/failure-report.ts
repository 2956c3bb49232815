import { NO_CALL } from './explain-timeout.ts'
import type { World } from './world.ts'

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
