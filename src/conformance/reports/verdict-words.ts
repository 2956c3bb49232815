import { counted } from '../../contract/words.ts'
import { selectionPassed } from '../result/selected-checks.ts'
import { type Counts, OUTCOMES, type ReportModel } from './report-model.ts'

/** What every report for people says first. */
interface Headline {
  readonly tone: 'good' | 'bad' | 'doubt' | 'quiet'
  readonly verdict: string
  readonly sentence: string
}

/** @example headlineOf(model).verdict // 'non-conforming' */
export function headlineOf({ run, counts, failed, known }: ReportModel): Headline {
  const { passed, inconclusive, 'not run': notRun } = counts.requirements
  const total = OUTCOMES.reduce((sum, outcome) => sum + counts.requirements[outcome], 0)
  const open = [
    ...(inconclusive > 0 ? [`${inconclusive} inconclusive`] : []),
    ...(notRun > 0 ? [`${notRun} not run`] : []),
  ]
  const rest = open.length === 0 ? '' : ` ${open.join(', ')}.`
  const chosen = selectionPassed(run)
  if (run.verdict === 'void') return { tone: 'quiet', verdict: 'nothing ran', sentence: NOTHING_RAN }
  if (run.verdict === 'conforming')
    return {
      tone: 'good',
      verdict: 'conforming',
      sentence: `${total === 1 ? 'The one requirement' : `All ${total} requirements`} of this run passed.`,
    }
  if (chosen !== null)
    return { tone: 'good', verdict: chosen, sentence: 'The other scenarios of the profile were not run.' }
  if (run.verdict === 'not_fully_verified')
    return {
      tone: 'doubt',
      verdict: 'not fully verified',
      sentence: `No requirement failed; ${passed} of ${counted(total, 'requirement')} passed.${rest}`,
    }
  if (failed.length === 0 && known.length > 0)
    return {
      tone: 'doubt',
      verdict: 'known failures only',
      sentence: `${counted(known.length, 'requirement')} failed; the baseline lists every failure.${rest}`,
    }
  const listed = known.filter(({ id }) => failed.every((one) => one.id !== id)).length
  const besides = listed === 0 ? '' : ` The baseline lists the failures of ${counted(listed, 'other')}.`
  return {
    tone: 'bad',
    verdict: 'non-conforming',
    sentence: `${counted(failed.length, 'requirement')} failed.${besides}${rest}`,
  }
}

/** What is wrong with a run that checked nothing; no report of it may look green. */
export const NOTHING_RAN = 'No check ran, so this run has no verdict.'

/** In the order in which a reader asks. */
const COUNTED = ['passed', 'failed', 'inconclusive', 'not run', 'observed'] as const

/**
 * Counts in one line, those of nothing left out.
 *
 * @example countsText(model.counts.checks, { failed: '2 known' }) // '715 passed, 18 failed (2 known), 99 observed'
 */
export function countsText(counts: Counts, notes: Partial<Record<keyof Counts, string>> = {}): string {
  const words = COUNTED.filter((outcome) => counts[outcome] > 0).map((outcome) => {
    const note = notes[outcome]
    return `${counts[outcome]} ${outcome}${note ? ` (${note})` : ''}`
  })
  return words.length === 0 ? 'none' : words.join(', ')
}

/** The counts of checks, with what a reader has to know of them: how many failures are known, answers differ from their pin, and errors are the runner's own. */
export function checkCountsText({ counts, counted: checks }: ReportModel): string {
  const count = (is: (found: (typeof checks)[number]) => boolean, words: string) => {
    const found = checks.filter(is).length
    return found === 0 ? '' : `${found} ${words}`
  }
  return countsText(counts.checks, {
    failed: count(({ check }) => check.known !== undefined, 'known'),
    inconclusive: count(({ check }) => check.verdict === 'harness_error', 'by an error of the runner'),
    observed: count(({ check }) => check.verdict === 'drift', 'not as pinned'),
  })
}

/** The heading above what a run created. A receiver only gets events about it. */
export function createdTitle({ run }: ReportModel): string {
  return run.target.environment === 'receiver' ? 'Sent to the receiver' : 'Left on the target'
}
