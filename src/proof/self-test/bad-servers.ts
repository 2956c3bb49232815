import { callAfter } from '../../clock/wall-clock.ts'
import { TargetError } from '../../conformance/engine/run-options.ts'
import type { LoadedScenario } from '../../conformance/format/scenario.ts'
import { reportModelOf } from '../../conformance/reports/report-model.ts'
import { REPORTER_NAMES, REPORTERS } from '../../conformance/reports/reporters.ts'
import type { RunResult } from '../../conformance/result/result.ts'
import { targetFromFlags } from '../../conformance/target/load-target.ts'
import type { Target } from '../../conformance/target/target.ts'
import { SCOPES } from '../../contract/scopes.ts'
import { startServer } from '../../server.ts'
import { BAD_SERVER_TIMEOUT_MS, type BadServer } from './bad-server-targets.ts'
import { type Altering, serving, startProxy } from './correct-proxy.ts'
import { smuggledInto } from './hostile-text.ts'
import { OWN_PATIENCE, ownTarget } from './own-target.ts'
import type { BadServerRun } from './result.ts'
import { checksOf, reasonOf, runAgainst, type Suite } from './suite.ts'

const KEY = { keyId: 'pk_sandbox_selftest', secret: 'sk_sandbox_selftest' }
const OTHER_KEY = { keyId: 'pk_sandbox_other', secret: 'sk_sandbox_other' }

/** The longest that a run against one of these may take: after that, the runner hangs. */
const MAX_RUN_MS = 600_000
/** A sandbox behind a proxy shares its thread with all others. */
const SPOILT_TIMEOUT_MS = 1_000

/** The suite against a server that is not a partner API: it must never come out green, and the runner must live. */
export async function runBadServer(suite: Suite, target: BadServer): Promise<BadServerRun> {
  const none = { verdict: null, shown: [], harnessErrors: 0, strayed: 0, smuggled: [], failure: null, tookMs: 0 }
  const run: BadServerRun = {
    name: target.name,
    saysYes: target.saysYes ?? false,
    isOdd: target.isOdd ?? false,
    ...none,
  }
  try {
    const { result, strayed } = await withinTime(suite, (limited) => againstIt(limited, target))
    return { ...run, ...(await judged(result)), strayed }
  } catch (error) {
    if (error instanceof TargetError && error.kind === 'unreachable') return { ...run, verdict: 'unreachable' }
    return { ...run, failure: reasonOf(error) }
  }
}

/** @throws all that the runner throws. */
async function againstIt(
  suite: Suite,
  { answer, alter, part }: BadServer,
): Promise<{ result: RunResult; strayed: number }> {
  if (alter)
    return { result: await againstSpoilt(partOf(suite, suite.isQuick ? (part ?? 0) : part), alter), strayed: 0 }
  if (!answer) throw new TypeError('a bad server needs answer or alter')
  const server = await startBadServer(answer)
  try {
    const result = await runAgainst(suite, withoutOperator(suite.scenarios), targetAt(server.url))
    return { result, strayed: server.elsewhere() }
  } finally {
    await server.close()
  }
}

const PARTS = 4

function partOf(suite: Suite, part: number | undefined): Suite {
  if (part === undefined) return suite
  return { ...suite, scenarios: suite.scenarios.filter((_, index) => index % PARTS === part % PARTS) }
}

async function againstSpoilt(suite: Suite, alter: Altering): Promise<RunResult> {
  const sandbox = await startServer({ port: 0, operatorPort: 0, wall: suite.wall })
  const proxy = await startProxy(sandbox.url, alter)
  try {
    return await runAgainst(suite, suite.scenarios, {
      ...ownTarget(sandbox),
      patience: OWN_PATIENCE,
      url: proxy.url,
      timeoutMs: SPOILT_TIMEOUT_MS,
    })
  } finally {
    await proxy.close()
    await sandbox.close()
  }
}

/** @throws RangeError if the run does not end in time. */
async function withinTime<Result>(suite: Suite, run: (suite: Suite) => Promise<Result>): Promise<Result> {
  const controller = new AbortController()
  const alarm = callAfter(MAX_RUN_MS, () => controller.abort())
  try {
    const signal = suite.signal ? AbortSignal.any([suite.signal, controller.signal]) : controller.signal
    const result = await run({ ...suite, signal })
    if (controller.signal.aborted) throw new RangeError(`the run was not done within ${MAX_RUN_MS / 1_000} s`)
    return result
  } finally {
    alarm.cancel()
  }
}

async function judged(result: RunResult) {
  return {
    verdict: result.verdict,
    shown: result.requirements
      .filter(({ level, status }) => level === 'must' && status === 'shown')
      .map(({ id }) => id),
    harnessErrors: checksOf(result, ({ verdict }) => verdict === 'harness_error').length,
    smuggled: await smuggledIntoReports(result),
    tookMs: result.durationMs,
  }
}

/** What a target has smuggled into a report that should only show it. */
async function smuggledIntoReports(result: RunResult): Promise<string[]> {
  const model = reportModelOf(result)
  const found = REPORTER_NAMES.map(async (name) => {
    const { render } = await REPORTERS[name].load()
    const report = render(model, { color: false, invocation: 'partner-sandbox conform' })
    return smuggledInto(report, report.trimStart().startsWith('<')).map((what) => `${what} in ${name}`)
  })
  return (await Promise.all(found)).flat()
}

/** These servers have no operator, so steps that need one would only be left out. */
function withoutOperator(scenarios: readonly LoadedScenario[]): LoadedScenario[] {
  return scenarios.filter(({ scenario }) => !scenario.needs?.some((need) => need.startsWith('operator')))
}

/** Claims everything that a run may ask for, so that nothing is left out. */
function targetAt(url: string): Target {
  const target = targetFromFlags({ url, ...KEY, mode: 'write' })
  const able = { scopes: SCOPES, affiliate: true, merchantOfRecord: true }
  return {
    ...target,
    // No rate limit of a sandbox is to be spared here.
    budget: { ...target.budget, inTenSeconds: Number.POSITIVE_INFINITY },
    timeoutMs: BAD_SERVER_TIMEOUT_MS,
    patience: OWN_PATIENCE,
    credentials: [
      { name: 'main', ...KEY, partner: 'main', ...able },
      { name: 'other', ...OTHER_KEY, partner: 'other', ...able },
    ],
    fixtures: {
      ...target.fixtures,
      sellable: Array.from({ length: 50 }, (_, n) => `domain-${n + 1}.test`),
      listed: ['listed.test'],
      unlisted: ['unlisted.example'],
      topic: { query: 'solar', finds: ['listed.test'] },
    },
  }
}

/** Starts a server that answers alone, and one elsewhere that counts what arrives there. */
async function startBadServer(answer: NonNullable<BadServer['answer']>) {
  let strayed = 0
  const other = await serving((_, response) => {
    strayed += 1
    response.end('{}')
  })
  // Another name for the same machine: another host to a client that follows a redirect.
  const otherUrl = other.url.replace('127.0.0.1', 'localhost')
  const server = await serving((request, response, ordinal) => {
    request.resume()
    return answer(request, response, ordinal, otherUrl)
  })
  return {
    url: server.url,
    elsewhere: () => strayed,
    close: async () => void (await Promise.all([server.close(), other.close()])),
  }
}
