import { unverified, whyNot } from '../../conformance/reports/digest.ts'
import { escapeLine, shorten } from '../../conformance/reports/escape.ts'
import type { RunResult, ScenarioResult } from '../../conformance/result/result.ts'
import { counted } from '../../contract/words.ts'

const MAX_NOTE_CHARACTERS = 160

/** What would run and what would not, and which requirements could not be shown. */
export function dryRunLines(result: RunResult): string {
  const chosen = result.scenarios.filter(({ checks }) => checks.some(({ reason }) => reason !== 'filtered'))
  const running = chosen.filter(wouldRun)
  const lines = [
    ...running.map((scenario) => `would run      ${escapeLine(scenario.id)}  ${requirementsOf(scenario)}`),
    ...chosen.filter((scenario) => !wouldRun(scenario)).map(missing),
    ...hidden(result),
    '',
    `${running.length} of ${chosen.length} scenarios would run. This is an estimate; nothing was sent.`,
    ...cutOff(result),
  ]
  return `${lines.join('\n')}\n`
}

/** What the budget leaves out of what the chosen scenarios would take. */
function cutOff({ plan }: RunResult): string[] {
  return (['requests', 'orders', 'quotes'] as const).flatMap((name) => {
    const wanted = plan[`${name}Wanted`]
    if (wanted === undefined) return []
    return [`At most ${plan[`${name}AtMost`]} ${name} (limited by the budget; all scenarios need ${wanted}).`]
  })
}

function wouldRun({ checks }: ScenarioResult): boolean {
  return checks.every(({ reason }) => reason === 'dry-run')
}

function requirementsOf({ checks }: ScenarioResult): string {
  return [...new Set(checks.map(({ requirement }) => requirement))].map(escapeLine).join(' ')
}

function missing(scenario: ScenarioResult): string {
  const [check] = scenario.checks
  const why = check ? shorten(escapeLine(whyNot(check)), MAX_NOTE_CHARACTERS) : 'it has no checks'
  return `would not run  ${escapeLine(scenario.id)}  ${why}`
}

/** Requirements of the profile with a check that would not run, by reason; what the selection left out is only counted. */
function hidden(result: RunResult): string[] {
  return unverified(result)
    .filter(({ reason }) => !reason.startsWith('dry-run'))
    .flatMap(({ reason, requirements, chosen }) => [
      '',
      `Could not be shown: ${counted(requirements.length, 'requirement')} (${reason})`,
      ...(chosen ? [] : inLines(requirements.map(escapeLine)).map((line) => `  ${line}`)),
    ])
}

const LINE_CHARACTERS = 96

function inLines(words: readonly string[]): string[] {
  const lines: string[] = []
  for (const word of words) {
    const last = lines.at(-1)
    if (last === undefined || last.length + 1 + word.length > LINE_CHARACTERS) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}
