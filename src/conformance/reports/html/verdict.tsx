import type { ComponentChildren } from 'preact'
import type { RunResult } from '../../result/result.ts'
import { checkCountsText, checksWith, headlineOf } from '../report-model.ts'
import type { Mark, PageFacts } from './page-facts.ts'
import { Bar, classOf, Instant, Link } from './parts.tsx'
import { capital, countOf, duration } from './texts.ts'

/** The verdict as a sentence, what to do next, and what was tested. */
export function Verdict({ facts }: { facts: PageFacts }) {
  const { run } = facts
  const { tone, verdict, sentence } = headlineOf(facts)
  const counts = countsOf(facts.rows)
  return (
    <>
      <header class={`verdict ${tone}`}>
        <Target run={run} />
        <h1>{capital(verdict)}</h1>
        <p class="says">{sentence}</p>
        {run.interrupted && (
          <p class="says">
            <strong>The run was interrupted.</strong> Checks that did not run are missing, so the verdict is not
            complete.
          </p>
        )}
        {counts.length > 0 && <Bar counts={counts} />}
        <ul class="legend" aria-label="Requirements by status">
          {counts.map(([name, count]) => (
            <li key={name}>
              <span class={`swatch ${classOf(name)}`} aria-hidden="true" />
              <b>{count}</b> {name}
            </li>
          ))}
        </ul>
        <NextSteps facts={facts} />
      </header>
      <Identity facts={facts} />
    </>
  )
}

/** What was tested: an API, or a partner's webhook receiver. */
function Target({ run }: { run: RunResult }) {
  const { url, environment } = run.target
  const isReceiver = environment === 'receiver'
  return (
    <>
      <p class="soft">{isReceiver ? 'Webhook receiver conformance to' : 'Conformance to'} the Partner Commerce API</p>
      <p class="soft">
        <code>{url}</code>
        {!isReceiver && ` in the environment ${environment}`}
      </p>
    </>
  )
}

const WORST_FIRST: readonly Mark[] = ['failed', 'known failure', 'inconclusive', 'not run', 'passed']

/** Requirements by how they ended: those of the profile, and any other that failed. */
export function countsOf(rows: PageFacts['rows']): (readonly [mark: Mark, count: number])[] {
  const marks = rows.flatMap(({ mark, counts }) => (counts ? mark : []))
  return WORST_FIRST.map((name) => [name, marks.filter((mark) => mark === name).length] as const).filter(
    ([, count]) => count > 0,
  )
}

/** What to do next, most useful first. */
function NextSteps({ facts }: { facts: PageFacts }) {
  const steps = [firstFailure(facts), doubts(facts), biggestGap(facts)].filter((step) => step !== null)
  return (
    <div class="next">
      <h2>What to do next</h2>
      {steps.length === 0 ? <p>{nothingLeft(facts)}</p> : <ol>{steps}</ol>}
    </div>
  )
}

function nothingLeft({ run }: PageFacts): string {
  if (run.verdict === 'void') return 'Select at least one scenario, and run again.'
  return 'Nothing to fix. Keep the log of this run (--reporter ndjson): report diff compares the next run with it.'
}

function firstFailure(facts: PageFacts): ComponentChildren {
  const [first] = facts.failed
  if (!first) return null
  return (
    <li key="fail">
      Start with{' '}
      <Link facts={facts} to="failure" id={first.id}>
        {first.requirement?.text ?? first.id}
      </Link>{' '}
      It has the answer, the likely cause and a command that repeats it.
    </li>
  )
}

function doubts(facts: PageFacts): ComponentChildren {
  const count = checksWith(facts, 'inconclusive', 'harness_error').length
  if (count === 0) return null
  return (
    <li key="doubt">
      Read <a href="#results">{countOf(count, 'inconclusive result')}</a>. Each says what would settle it.
    </li>
  )
}

function biggestGap({ notVerified }: PageFacts): ComponentChildren {
  const [gap] = notVerified.filter(({ code }) => code !== undefined && code !== 'open-point' && code !== 'filtered')
  if (!gap) return null
  return (
    <li key="gap">
      To test {countOf(gap.requirements.length, 'more requirement')}: {gap.todo}{' '}
      <a href="#unverified">All that was not verified</a>
    </li>
  )
}

function Identity({ facts }: { facts: PageFacts }) {
  const { run } = facts
  const { edition, scenarios, target, runId } = run.identity
  const versions = { requirements: edition, scenarios, 'target file': target, 'this run': runId }
  return (
    <dl class="facts">
      <Fact name="Profile">
        {run.profile.name} <span class="soft">({countOf(run.profile.requirements.length, 'requirement')})</span>
      </Fact>
      <Fact name="When">
        <Instant iso={run.startedAt} />
      </Fact>
      <Fact name="Took">
        {duration(run.durationMs)} <span class="soft">({countOf(run.summary.requests, 'request')})</span>
      </Fact>
      <Fact name="Judged by">{`${run.tool.name} ${run.tool.version}`}</Fact>
      <Fact name="Checks" isWide>
        {checkCountsText(facts)}
      </Fact>
      <Fact name="Versions (compare only runs with the same)" isWide>
        {Object.entries(versions).map(([name, digest]) => (
          <span key={name}>
            {name} <code>{digest}</code>
          </span>
        ))}
      </Fact>
    </dl>
  )
}

function Fact({ name, isWide, children }: { name: string; isWide?: boolean; children: ComponentChildren }) {
  return (
    <div {...(isWide && { class: 'wide' })}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
