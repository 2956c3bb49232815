import { expect, it } from 'vitest'
import { DEFAULT_GAPS, type GapChoices, type GapId, gapOf } from '../../src/contract/choices.ts'
import type { ServerOptions } from '../../src/server.ts'
import { startSandbox, type TestSandbox } from './sandbox.ts'

/**
 * One test for each legal value of an open point: what a client sees of a sandbox that was told it, and, for the usual one, of
 * a sandbox that was told nothing. The compiler asks for every value.
 *
 * @param observe what a client sees, over HTTP.
 */
export function observed<Id extends GapId, Seen>(
  id: Id,
  expected: Readonly<Record<GapChoices[Id], Seen>>,
  observe: (sandbox: TestSandbox) => Promise<Seen>,
  options: Partial<ServerOptions> = {},
): void {
  it.each(gapOf(id).values)(`${id}: %s`, { timeout: 20_000 }, async (value) => {
    const gaps = value === DEFAULT_GAPS[id] ? options.gaps : { ...options.gaps, [id]: value }
    const sandbox = await startSandbox({ inventory: 20, ...options, ...(gaps && { gaps }) })
    expect(await observe(sandbox)).toEqual((expected as Record<string, Seen>)[String(value)])
  })
}
