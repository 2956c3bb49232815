import type { ConformanceOptions, ConformanceResult } from './conformance.ts'

/**
 * Runs the signed scenarios against a target and gives a verdict for each requirement, as
 * `partner-sandbox conform` does.
 *
 * @throws ConformanceInputError, ConformanceTargetError
 * @example
 * const { verdict, failures } = await runConformance({ target: { url, keyId, secret, mode: 'write' }, only: ['auth/*'] })
 * expect(failures).toEqual([])
 */
export async function runConformance(options: ConformanceOptions): Promise<ConformanceResult> {
  // Loaded only here: the runner is large, and tests with a sandbox do not need it.
  const { judgeTarget } = await import('./judge-target.ts')
  return judgeTarget(options)
}
