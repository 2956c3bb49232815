import type { CheckVerdict, Observation, RunResult } from '../result/result.ts'
import { knownText, seenAndWhy, todoOf } from './not-verified.ts'
import { answerText } from './open-points.ts'
import { groupsWith, idsOf, placesOf, type ReportModel } from './report-model.ts'

/** What is to be said of checks or of an open point: once, where it is the same of several. */
export interface Remark {
  /** The requirements, or the open point. */
  readonly ids: string
  /** Scenarios and steps. */
  readonly places: string
  /** In the words of the target. */
  readonly says: string
  /** What to do or to know; empty if there is nothing. */
  readonly more: string
}

/** What the reports for people say of checks that neither passed nor are new failures, by heading. Each heading has at least one. */
export function remarksOf(model: ReportModel): (readonly [heading: string, remarks: readonly Remark[]])[] {
  const rows = [
    ['Known failures (listed in the baseline)', knownFailures(model)],
    ['Inconclusive', remarksWith(model, 'inconclusive')],
    ['Errors of the runner', remarksWith(model, 'harness_error')],
    ['Observed: not as pinned', remarksWith(model, 'drift')],
    ['Observed: the target follows another sentence of the document', remarksWith(model, 'tolerated')],
  ] as const
  return rows.filter(([, remarks]) => remarks.length > 0)
}

/** Failures that the baseline lists. They are still violations, but not new ones. */
function knownFailures({ known }: ReportModel): Remark[] {
  return known.flatMap(({ id, causes }) =>
    causes.map(({ first: { check }, checks }) => ({
      ...{ ids: id, places: placesOf(checks), says: check.actual },
      more: check.known ? knownText(check.known) : '',
    })),
  )
}

function remarksWith(model: ReportModel, verdict: CheckVerdict): Remark[] {
  return groupsWith(model, verdict).map(({ first: { check, exchange }, checks }) => ({
    ...{ ids: idsOf(checks), places: placesOf(checks) },
    says: verdict === 'drift' ? `${check.actual} (${check.expected})` : seenAndWhy(check),
    more: verdict === 'inconclusive' ? `to do: ${todoOf(check, exchange)}` : '',
  }))
}

/** What the target was seen to do where the document leaves a choice, by open point in the order of the registry. */
export function observedRemarks({ observations, requirements }: RunResult): Remark[] {
  const places = new Map(requirements.map(({ id }, at) => [id, at]))
  const place = ({ gap }: Observation) => places.get(gap.split('/')[0] ?? '') ?? requirements.length
  return [...observations]
    .sort((a, b) => place(a) - place(b))
    .map(({ gap, value, scenario }) => ({ ids: gap, places: scenario, says: answerText(value), more: '' }))
}
