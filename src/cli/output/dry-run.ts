import { escapeLine, shorten } from '../../conformance/reports/escape.ts'
import { notVerifiedOf, reasonOf, whyNot } from '../../conformance/reports/not-verified.ts'
import { notesTogether } from '../../conformance/result/lacking-scopes.ts'
import type { CheckResult, RunResult, ScenarioResult } from '../../conformance/result/result.ts'
import { partsOfNote } from '../../conformance/result/target-addition.ts'
import { counted, firstFew, grouped, inLines } from '../../contract/words.ts'

/**
 * Which scenarios and requirements would run, and which would not: the scenarios by reason, or in verbose form each on a line of
 * its own.
 */
export function dryRunLines(result: RunResult, isVerbose = false): string {
  const { orders, quotes, webhooks } = result.plan
  const declared = `${counted(orders, 'order')}, ${counted(quotes, 'quote')} and ${counted(webhooks, 'webhook registration')}`
  const chosen = result.scenarios.filter(({ checks }) => checks.some(({ reason }) => reason !== 'filtered'))
  const running = chosen.filter(wouldRun)
  const others = chosen.filter((scenario) => !wouldRun(scenario))
  const lines = [
    ...(isVerbose ? eachScenario(running, others) : scenariosByReason(running, others)),
    ...hidden(result),
    `${running.length} of ${chosen.length} scenarios would run. They declare ${declared}. Nothing was sent.`,
  ]
  return `${lines.join('\n')}\n`
}

/** Whether a scenario would run, as a dry run has found; it may leave out what is optional. */
function wouldRun({ checks }: ScenarioResult): boolean {
  return checks.some(({ reason }) => reason === 'dry-run')
}

function eachScenario(running: readonly ScenarioResult[], others: readonly ScenarioResult[]): string[] {
  const requirementsOf = ({ checks }: ScenarioResult) => [
    ...new Set(checks.flatMap(({ requirement, reason }) => (reason === 'dry-run' ? [requirement] : []))),
  ]
  return [
    ...running.map((one) => `would run      ${escapeLine(one.id)}  ${requirementsOf(one).map(escapeLine).join(' ')}`),
    ...others.map((one) => `would not run  ${escapeLine(one.id)}  ${whyNotRun(one)}`),
    '',
  ]
}

const NOTES_SHOWN = 3
const MAX_NOTE_CHARACTERS = 160

function scenariosByReason(running: readonly ScenarioResult[], others: readonly ScenarioResult[]): string[] {
  const reasons = grouped(others, (one) => {
    const check = hindered(one)
    return check ? escapeLine(reasonOf(check)) : WITHOUT_CHECKS
  })
  return [
    ...(running.length === 0 ? [] : [`Would run: ${counted(running.length, 'scenario')}`, ...filesOf(running), '']),
    ...[...reasons].flatMap(([reason, group]) => {
      const notes = notesTogether(group.flatMap((one) => hindered(one)?.note ?? [])).map(escapeLine)
      return [
        `Would not run: ${counted(group.length, 'scenario')} (${reason})`,
        ...filesOf(group),
        ...firstFew(
          // What is to be copied into the target file is of use only as a whole.
          notes.map((note) => (partsOfNote(note).addition === null ? shorten(note, MAX_NOTE_CHARACTERS) : note)),
          NOTES_SHOWN,
        ).map((note) => `  ${note}`),
        '',
      ]
    }),
  ]
}

/** The first check that would not run. */
function hindered({ checks }: ScenarioResult): CheckResult | undefined {
  return checks.find(({ reason }) => reason !== 'dry-run')
}

const WITHOUT_CHECKS = 'it has no checks'

function whyNotRun(scenario: ScenarioResult): string {
  const check = hindered(scenario)
  return check ? escapeLine(whyNot(check)) : WITHOUT_CHECKS
}

/** The ids, those of one file with rows once. */
function filesOf(scenarios: readonly ScenarioResult[]): string[] {
  const files = grouped(scenarios, ({ id }) => id.replace(/\[.*$/, ''))
  const names = [...files].map(([name, { length }]) => escapeLine(length === 1 ? name : `${name} (${length})`))
  return inLines(names).map((line) => `  ${line}`)
}

/** Requirements of the profile that no scenario would show, by reason; what the selection left out is only counted. */
function hidden(result: RunResult): string[] {
  const shown = new Set(
    result.scenarios.flatMap(({ checks }) =>
      checks.flatMap((check) => (check.reason === 'dry-run' ? [check.requirement] : [])),
    ),
  )
  return notVerifiedOf(result).flatMap(({ reason, requirements, chosen }) => {
    const left = requirements.filter((id) => !shown.has(id))
    if (left.length === 0) return []
    return [
      `Would not be shown: ${counted(left.length, 'requirement')} (${reason})`,
      ...(chosen ? [] : inLines(left.map(escapeLine)).map((line) => `  ${line}`)),
      '',
    ]
  })
}
