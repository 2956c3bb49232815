import { profileOfAll } from '../../conformance/engine/profile.ts'
import type { BadServerRun, CheckPlace, DefectRun, GapVariationRun, RequirementRow, SoundRun } from './result.ts'
import { nameOf, type Suite } from './suite.ts'

/** A server that says nothing leaks no secret. */
const TRUE_OF_THE_MUTE = 'CRED-03'

/** Everything that is wrong, in one sentence each. */
export function problemsOf(
  suite: Suite,
  runs: { sound: SoundRun | null; defects: DefectRun[]; freedoms: GapVariationRun[]; degenerates: BadServerRun[] },
  { isWhole }: { isWhole: boolean } = { isWhole: true },
): string[] {
  return [
    ...(runs.sound ? soundProblems(suite, runs.sound) : []),
    ...runs.defects.flatMap(defectProblems),
    ...(isWhole ? idleScenarios(suite, runs.defects) : []),
    ...runs.freedoms.flatMap(gapVariationProblems),
    ...runs.degenerates.flatMap(badServerProblems),
  ]
}

function soundProblems(suite: Suite, sound: SoundRun): string[] {
  const unshown = profileOfAll(suite.registry).requirements.filter((id) => !sound.shown.includes(id))
  return [
    ...sound.notGreen.map((check) => `the sound sandbox: ${placeOf(check)} is ${check.verdict}: ${check.actual}`),
    ...unshown.map((id) => `${id} has no check that the sound sandbox passes`),
  ]
}

export function defectProblems({ id, breaks, scenarios, killedBy, failure }: DefectRun): string[] {
  if (failure) return [`the defect ${id}: ${failure}`]
  if (killedBy.length > 0) return []
  const why = scenarios === 0 ? 'no scenario proves' : 'no check went red of'
  return [`the defect ${id} survives: ${why} ${breaks.join(', ')}`]
}

function idleScenarios(suite: Suite, defects: readonly DefectRun[]): string[] {
  const useful = new Set(defects.flatMap(({ killedBy }) => killedBy.map(({ scenario }) => scenario)))
  return suite.scenarios
    .filter(({ id, scenario }) => !useful.has(id) && scenario.proves.length > 0)
    .map(({ id }) => `the scenario ${id} kills no defect`)
}

export function gapVariationProblems({ choice, because, red, verdict, failure }: GapVariationRun): string[] {
  if (failure) return [`the gap variation ${choice}: ${failure}`]
  if (verdict === 'void') return [`the gap variation ${choice}: nothing was judged`]
  const cause = because.length === 0 || because[0] === choice ? '' : ` by ${because.join(' and ')}`
  return red.map((check) => `the gap variation ${choice}: ${placeOf(check)} is red${cause}: ${check.actual}`)
}

export function badServerProblems(run: BadServerRun): string[] {
  const about = `the server that ${run.name}`
  if (run.failure) return [`${about}: ${run.failure}`]
  if (run.verdict === 'conforming' && !run.isOdd) return [`${about} is called conforming`]
  const odd = run.saysYes ? [] : run.shown.filter((id) => id !== TRUE_OF_THE_MUTE)
  if (odd.length > 0) return [`${about} is said to show ${odd.join(', ')}`]
  if (run.strayed > 0) return [`${about} has had ${run.strayed} requests sent to another host`]
  if (run.smuggled.length > 0) return [`${about} smuggles ${run.smuggled.join(', ')}`]
  if ('polluted' in {}) return [`${about} has altered the prototype of all objects`]
  return run.harnessErrors > 0 ? [`${about} leads to ${run.harnessErrors} harness errors`] : []
}

function placeOf({ scenario, step, requirement }: CheckPlace): string {
  return `${scenario} ${step} (${requirement})`
}

/** The matrix in short: each requirement with its checks and the defects they killed. */
export function requirementRows(
  suite: Suite,
  passed: readonly CheckPlace[],
  defects: readonly DefectRun[],
): RequirementRow[] {
  const row = (id: string): RequirementRow => {
    const broken = defects.filter(({ breaks }) => breaks.includes(id))
    const isKill = ({ killedBy }: DefectRun) => killedBy.some(({ requirement }) => requirement === id)
    return {
      id,
      checks: passed.filter(({ requirement }) => requirement === id).length,
      killed: broken.filter(isKill).map((defect) => defect.id),
      // Another requirement that they break may have killed them.
      unnoticed: broken.filter((defect) => !isKill(defect)).map((defect) => defect.id),
    }
  }
  return profileOfAll(suite.registry).requirements.map(row)
}

/** The checks of a sound run that no defect has turned red. */
export function neverRed(all: readonly CheckPlace[], defects: readonly DefectRun[]): CheckPlace[] {
  const red = new Set(defects.flatMap(({ killedBy, alsoRed }) => [...killedBy, ...alsoRed].map(placeOf)))
  return all.filter((check) => !red.has(placeOf(check))).map(nameOf)
}
