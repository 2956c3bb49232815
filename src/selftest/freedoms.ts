import { GAPS, type GapChoices, type GapId } from '../contract/gaps.ts'
import type { FreedomRun } from './result.ts'
import { checksOf, nameOf, reasonOf, runAgainstOwn, type Suite } from './suite.ts'

/** Choices of open points that differ from our sandbox's own. */
export interface Freedom {
  choice: string
  gaps: Partial<GapChoices>
}

/** Every legal value of every open point by itself, and then all points at once decided otherwise than usual. */
export function allFreedoms(): Freedom[] {
  const ids = Object.keys(GAPS) as GapId[]
  const alone = ids.flatMap((id) => otherValues(id).map((value) => freedom({ [id]: value })))
  const most = Math.max(...ids.map((id) => otherValues(id).length))
  const together = Array.from({ length: most }, (_, n) =>
    freedom(Object.fromEntries(ids.map((id) => [id, otherValues(id)[n % otherValues(id).length]]))),
  )
  return [...alone, ...together]
}

function otherValues(id: GapId): readonly unknown[] {
  const { values, default: usual } = GAPS[id]
  return (values as readonly unknown[]).filter((value) => value !== usual)
}

function freedom(gaps: Record<string, unknown>): Freedom {
  const choice = Object.entries(gaps).map(([id, value]) => `${id}=${String(value)}`)
  return { choice: choice.join(' '), gaps: gaps as Partial<GapChoices> }
}

/** The whole suite against a sandbox that decides open points otherwise, which no check may hold against it. */
export async function runFreedom(suite: Suite, { choice, gaps }: Freedom): Promise<FreedomRun> {
  try {
    const result = await runAgainstOwn(suite, suite.scenarios, { gaps })
    return {
      choice,
      verdict: result.verdict,
      red: checksOf(result, ({ verdict }) => verdict === 'fail' || verdict === 'harness_error').map((check) => ({
        ...nameOf(check),
        actual: check.actual,
      })),
      unproved: checksOf(result, ({ verdict }) => verdict === 'inconclusive' || verdict === 'not_run').length,
      failure: null,
      tookMs: result.durationMs,
    }
  } catch (error) {
    return { choice, verdict: null, red: [], unproved: 0, failure: reasonOf(error), tookMs: 0 }
  }
}
