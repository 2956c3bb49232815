import { eventHas } from '../context/event-history.ts'
import type { ScenarioRun } from '../context/scenario-run.ts'
import type { HookStep, Template } from '../format/scenario.ts'
import { atPath } from '../http/json-body.ts'
import type { StepOutcome } from '../judge/pending-checks.ts'
import { filled, filledText } from '../judge/references.ts'
import { heldBackMs } from '../target/longest-wait.ts'
import type { HookAnswer } from '../webhooks/delivery.ts'
import { hookCalled } from './received-deliveries.ts'
import type { StepKind } from './step-kind.ts'

/** Makes a hook answer otherwise from here on. */
export const HOOK: StepKind = {
  run: async (scenarioRun, step) => behave(scenarioRun, step.hook as HookStep),
  requests: () => 0,
}

function behave(scenarioRun: ScenarioRun, wish: HookStep): StepOutcome {
  const where = filled(scenarioRun, (wish.where ?? {}) as Template) as Record<string, unknown>
  hookCalled(scenarioRun, wish.name ?? 'main').behave({
    answer: answerOf(scenarioRun, wish.answer),
    times: wish.times ?? null,
    fits: (json) =>
      (wish.type === undefined || atPath(json, 'type') === wish.type) &&
      eventHas({ id: '', type: '', json, position: 0 }, where),
  })
  return { checks: [], stop: null }
}

function answerOf(scenarioRun: ScenarioRun, answer: HookStep['answer']): HookAnswer {
  if (typeof answer === 'number') return { status: answer, afterMs: 0 }
  if (answer === 'hang_up') return { status: null, afterMs: 0 }
  if ('redirect' in answer) return { status: 307, afterMs: 0, location: filledText(scenarioRun, answer.redirect) }
  return { status: answer.status ?? 200, afterMs: heldBackMs(scenarioRun.run.target, answer) }
}
