import {
  anyValue,
  listProblem,
  type OptionCheck,
  optionProblems,
  refuseProblems,
  textProblem,
} from './check-options.ts'
import type { ConformanceOptions, ConformanceResult } from './conformance.ts'

const CHECKS: Record<keyof ConformanceOptions, OptionCheck> = {
  target: targetProblem,
  only: listProblem,
  requirements: listProblem,
  tags: listProblem,
  profile: listProblem,
  scenarios: listProblem,
  onProgress: anyValue,
  signal: anyValue,
}

/**
 * Runs the signed scenarios against a target and gives a verdict for each requirement, as
 * `partner-sandbox conform` does.
 *
 * @throws ConformanceInputError, ConformanceTargetError; TypeError for an option that is missing, unknown or of another type.
 * @example
 * const { verdict, failures } = await runConformance({ target: { url, keyId, secret, mode: 'write' }, only: ['auth/*'] })
 * expect(failures).toEqual([])
 */
export async function runConformance(options: ConformanceOptions): Promise<ConformanceResult> {
  refuseProblems('runConformance', optionProblems(options, CHECKS, ['target']))
  // Loaded only here: the runner is large, and tests with a sandbox do not need it.
  const { judgeTarget } = await import('./judge-target.ts')
  return judgeTarget(options)
}

/** What else an address and a credential have is for other calls. */
function targetProblem(value: unknown): string | null {
  const target = Object(value) as Record<string, unknown>
  const needed = 'file' in target ? ['file'] : ['url', 'keyId', 'secret']
  return needed.every((name) => textProblem(target[name]) === null)
    ? null
    : 'must be an object with url, keyId and secret, or with file'
}
