import { LIMITS } from '../../contract/limits.ts'
import { argumentsOf, canOperate } from '../context/operator.ts'
import type { ScenarioRun } from '../context/run.ts'
import type { Step } from '../format/scenario.ts'
import type { Exchange } from '../http/exchange.ts'

/** What ends by itself after a time that the document names. */
const LASTING_MS = [LIMITS.quoteSeconds, LIMITS.checkoutSeconds].map((seconds) => seconds * 1_000)

/** Scenarios move the clock at least this close to an end, to stay short of it. */
const CLOSEST_MS = 60_000

/**
 * Why an answer after a move of the clock says nothing of what ends soon after: the run itself, on a slow machine, needed so long
 * that the end may have come. Null if it was quick enough, or the clock was not moved close to an end.
 *
 * @param made the exchanges of the scenario so far.
 */
export function limitOvertaken(
  { scenario, run }: { scenario: Pick<ScenarioRun['scenario'], 'steps'>; run: Pick<ScenarioRun['run'], 'target'> },
  step: Step,
  answered: Pick<Exchange, 'sentAtMs' | 'tookMs'>,
  made: readonly Pick<Exchange, 'sentAtMs'>[],
): string | null {
  const moves = scenario.steps
    .slice(0, scenario.steps.indexOf(step))
    .flatMap(({ operator }) => operator?.advance_clock ?? [])
  const movedMs = moves.reduce(
    (sum: number, move) => sum + Number(argumentsOf('advance_clock', move).seconds) * 1_000,
    0,
  )
  const leftMs = LASTING_MS.map((ms) => ms - movedMs).find((ms) => ms > 0 && ms <= CLOSEST_MS)
  const [first] = made
  if (moves.length === 0 || leftMs === undefined || first === undefined) return null
  // Without an operator the move is a wait.
  const waitedMs = canOperate(run.target, 'advance_clock') ? 0 : movedMs
  const neededMs = answered.sentAtMs + answered.tookMs - first.sentAtMs - waitedMs
  if (neededMs < leftMs / 2) return null
  return `the run needed ${Math.round(neededMs / 1_000)} s beside the move of the clock, so what ends ${leftMs / 1_000} s later may have ended`
}
