import { whyNot } from '../../conformance/reporters/digest.ts'
import { escapeLine, shorten } from '../../conformance/reporters/escape.ts'
import type { RunResult, ScenarioResult } from '../../conformance/result.ts'

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
    `${running.length} of ${chosen.length} scenarios would run, as far as can be told from here. Nothing was sent.`,
  ]
  return `${lines.join('\n')}\n`
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

/** Of the profile: whatever one check of it would not be carried out for. */
function hidden({ scenarios, profile }: RunResult): string[] {
  const checks = scenarios.flatMap((scenario) => scenario.checks)
  const cannot = (id: string): boolean => {
    const own = checks.filter(({ requirement }) => requirement === id)
    return own.length === 0 || own.some(({ reason }) => reason !== 'dry-run')
  }
  const ids = profile.requirements.filter(cannot)
  if (ids.length === 0) return []
  return [
    '',
    `Could not be shown: ${ids.length} of the ${profile.requirements.length} requirements of the profile ${escapeLine(profile.name)}`,
    ...inLines(ids.map(escapeLine)).map((line) => `  ${line}`),
  ]
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
