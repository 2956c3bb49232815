import { expect } from 'vitest'
import type { RunningServer } from '../../src/server.ts'
import { type CliOutcome, cli } from './run.ts'

export interface CliAgainst {
  run(...args: string[]): Promise<CliOutcome>
  /** Output of a command that is expected to work. */
  ok(...args: string[]): Promise<string>
  /** Its raw answer. */
  // biome-ignore lint/suspicious/noExplicitAny: answers are judged member by member
  okJson(...args: string[]): Promise<any>
}

/** The command line of somebody who works with this sandbox. */
export function cliAgainst({ operator }: RunningServer): CliAgainst {
  const run = (...args: string[]) => cli(args, { env: { PARTNER_SANDBOX_URL: operator?.url ?? '' } })
  async function ok(...args: string[]): Promise<string> {
    const { code, out, err } = await run(...args)
    expect([code, err]).toEqual([0, ''])
    return out
  }
  return { run, ok, okJson: async (...args) => JSON.parse(await ok(...args, '--json')) }
}
