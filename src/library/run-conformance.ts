import type { ConformanceOptions, ConformanceResult } from './conformance.ts'

/**
 * Replays the signed scenarios against a target and judges, requirement by requirement, what it does: what
 * `partner-sandbox conform` does.
 *
 * @throws ConformanceInputError, ConformanceTargetError
 * @example
 * const { verdict, failures } = await runConformance({ target: { url, keyId, secret, mode: 'write' }, only: ['auth/*'] })
 * expect(failures).toEqual([])
 */
export async function runConformance(options: ConformanceOptions): Promise<ConformanceResult> {
  // Loaded only here: the runner is large, and tests with a sandbox do without it.
  const { judgeTarget } = await import('./judge-target.ts')
  return judgeTarget(options)
}
