import { flag, list, nullable, object, optional, record, string } from '../../contract/schema.ts'
import { jsonIn } from '../../contract/words.ts'
import { pageOf, placeOf } from '../pages.ts'
import { count, cursor, data, PAGE, type RunOutcome, type ToolContext, ToolError, tool } from '../tool.ts'

/** The part of a report of a run (the reporter json) that answers have. */
interface RunReport {
  readonly verdict: string
  readonly summary: { readonly checks: Record<string, number>; readonly requirements: Record<string, number> }
  readonly scenarios: readonly {
    readonly id: string
    readonly checks: readonly {
      readonly step: string
      readonly requirement: string
      readonly verdict: string
      readonly expected: string
      readonly actual: string
      readonly reason?: string
      readonly note?: string
    }[]
  }[]
}

const RUN_OUTPUT = object({
  passed: nullable(flag('All that was chosen conforms; null for a dry run.')),
  verdict: string('Of the whole profile.'),
  checks: record('How many checks have each verdict.', { values: count }),
  requirements: record('How many have each status.', { values: count }),
  not_run: record('Checks that did not run, by reason.', { values: count }),
  data: data(
    'what failed: requirement, what was expected, what the server did; of a dry run the scenarios that would run',
  ),
  ...PAGE,
  note: optional(string('Why no check ran: there is no connection, or the credential is refused.')),
})

/** Runs of the conformance runner; the command line has the same. */
export const RUN_CONFORMANCE = tool({
  name: 'run_conformance',
  title: 'Judge a server of the API',
  description:
    'Judges a server with signed scenarios: the target file that was named at start, or else a sandbox of its own. Choose scenarios with only or requirement; all of them take about ten seconds with a server that answers quickly. Lists what failed.',
  input: object({
    only: optional(list(string('An id or a pattern: auth/*, replay/nonce-reuse.'))),
    requirement: optional(list(string('An id or a pattern: AUTH-01, IDEM-*.'))),
    dry_run: optional(flag('List the scenarios that would run; send nothing.')),
    cursor,
  }),
  output: RUN_OUTPUT,
  hints: { isOpenWorld: true },
  async run({ only = [], requirement = [], dry_run: dryRun = false, cursor: from }, context, signal) {
    const selection = { only, requirement, dryRun }
    const outcome = await outcomeOf(context, selection, from, () => context.judgeServer(selection, signal))
    if (!dryRun) return answerOf(outcome, from)
    const scenarios = reportOf(outcome)
      .scenarios.filter(({ checks }) => checks.some(isPlanned))
      .map(({ id }) => id)
    return { ...answerOf(outcome, undefined), passed: null, ...pageOf({ would_run: scenarios }, placeOf(from)) }
  },
})

export const JUDGE_RECEIVER = tool({
  name: 'judge_receiver',
  title: 'Judge a webhook receiver',
  description:
    'Sends valid, forged, repeated and late deliveries to your receiver and judges its answers. The webhook secret is in the environment of this server. Takes a second or two if the receiver answers quickly.',
  input: object({
    url: string('Address of the receiver, as it is registered.'),
    only: optional(list(string('Id of a scenario, or a pattern.'))),
    requirement: optional(list(string('RECV-03'))),
    cursor,
  }),
  output: RUN_OUTPUT,
  hints: { isOpenWorld: true },
  async run({ url, only = [], requirement = [], cursor: from }, context, signal) {
    if (!/^https?:\/\//.test(url)) throw new ToolError('url: it must be an http:// or https:// address')
    const selection = { only, requirement }
    const { err, ...outcome } = await outcomeOf(context, { url, ...selection }, from, () =>
      context.judgeReceiver(url, selection, signal),
    )
    // The command that the message is of has another name for the flag.
    return answerOf({ ...outcome, err: err.replaceAll('--secret-env', '--webhook-secret-env') }, from)
  },
})

/** Makes a run for its first page. @throws ToolError for a further page where another run has been made since. */
async function outcomeOf(
  context: ToolContext,
  chosen: object,
  from: string | undefined,
  judge: () => Promise<RunOutcome>,
): Promise<RunOutcome> {
  const of = JSON.stringify(chosen)
  if (from === undefined) {
    const outcome = await judge()
    context.latestRun = { of, outcome }
    return outcome
  }
  if (context.latestRun?.of !== of)
    throw new ToolError('cursor: it is not of the latest run; leave it out to run again')
  return context.latestRun.outcome
}

/** @throws ToolError with what the command says, if it ended without a report. */
function reportOf({ out, err }: RunOutcome): RunReport {
  const report = jsonIn(out) as RunReport | undefined
  if (!report) throw new ToolError(err.trim() || 'the run ended without a report')
  return report
}

/** Reasons of checks that are not part of a run: the selection itself says what it left out, and nothing could be judged by the others. */
const OUTSIDE: readonly string[] = ['filtered', 'no-occasion']

/** Whether a dry run says that this check would run. */
function isPlanned({ reason }: { readonly reason?: string }): boolean {
  return reason === 'dry-run'
}

function answerOf(outcome: RunOutcome, from: string | undefined) {
  const report = reportOf(outcome)
  const checks = report.scenarios.flatMap(({ id, checks }) => checks.map((check) => ({ scenario: id, ...check })))
  const failures = checks
    .filter(({ verdict }) => verdict === 'fail' || verdict === 'harness_error' || verdict === 'inconclusive')
    .map(({ scenario, step, requirement, verdict, expected, actual, note }) => ({
      scenario,
      step,
      requirement,
      verdict,
      expected,
      actual,
      ...(note !== undefined && { note }),
    }))
  const page = pageOf({ failures }, placeOf(from))
  // The last line says what ended the run; those before it say what was planned.
  const isCutShort = report.verdict === 'void' && checks.some(({ reason }) => reason === 'interrupted')
  const note = isCutShort ? (outcome.err.trim().split('\n').at(-1) ?? '') : ''
  return {
    passed: outcome.passed,
    verdict: report.verdict,
    checks: nonZero(report.summary.checks),
    requirements: nonZero(report.summary.requirements),
    not_run: countsOf(
      checks.flatMap(({ reason }) => (reason === undefined || OUTSIDE.includes(reason) ? [] : [reason])),
    ),
    ...page,
    ...(note !== '' && { note }),
  }
}

function nonZero(counts: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))
}

function countsOf(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1
  return counts
}
