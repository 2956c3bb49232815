import type { ComponentChildren } from 'preact'
import type { RunResult } from '../../result/result.ts'
import { selectionPassed } from '../../result/selected-checks.ts'
import { newChecks, unverified } from '../digest.ts'
import type { PageFacts } from './page-facts.ts'
import { Bar, Instant, Link } from './parts.tsx'
import { countOf, duration, withCommas } from './texts.ts'
import { type Mark, MarkOf, wordOf } from './words.tsx'

/** The verdict as a sentence, what to do next, and what was tested. */
export function Verdict({ facts }: { facts: PageFacts }) {
  const { run } = facts
  const [tone, lead, rest] = sentence(facts)
  const counts = countsOf(facts)
  return (
    <>
      <header class={`verdict ${tone}`}>
        <Target run={run} />
        <h1>{lead}</h1>
        <p class="says">{rest}</p>
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
              <span class={`swatch ${name}`} aria-hidden="true" />
              <b>{count}</b> {name === 'known' ? 'failed (known)' : wordOf(name)}
            </li>
          ))}
        </ul>
        <NextSteps facts={facts} />
      </header>
      <Identity run={run} />
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

type Sentence = readonly [tone: 'good' | 'bad' | 'doubt' | 'quiet', lead: string, rest: string]

function sentence(facts: PageFacts): Sentence {
  const { run } = facts
  const counts = new Map(countsOf(facts))
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const [violated, known, shown] = [counts.get('violated') ?? 0, counts.get('known') ?? 0, counts.get('shown') ?? 0]
  if (run.verdict === 'conforming') {
    const all = total === 1 ? 'The one requirement' : `All ${total} requirements`
    return ['good', 'Conforms', `${all} of this run passed.`]
  }
  if (run.verdict === 'void') return ['quiet', 'No verdict', 'No check ran, so this run says nothing about the target.']
  const chosen = selectionPassed(run)
  if (chosen !== null) return ['good', chosen, 'The other scenarios of the profile were not part of this run.']
  if (run.verdict === 'not_fully_verified') {
    const few = `only ${shown} passed`
    return ['doubt', 'Not fully verified', `No requirement failed, but of ${countOf(total, 'requirement')} ${few}.`]
  }
  const left = total - shown - violated - known
  return nonConforming(violated, known, left === 0 ? '' : ` ${countOf(left, 'more was', 'more were')} not verified.`)
}

function nonConforming(violated: number, known: number, open: string): Sentence {
  const those = (count: number) => `${countOf(count, 'requirement')} failed.`
  const isAllKnown = violated === 0 && known > 0
  if (isAllKnown)
    return ['bad', 'Does not conform: known failures only', `${those(known)} The baseline lists every failure.${open}`]
  const further = ` ${countOf(known, 'other')} failed too; the baseline lists the failures.`
  return ['bad', 'Does not conform', `${those(violated)}${known === 0 ? '' : further}${open}`]
}

const WORST_FIRST: readonly Mark[] = ['violated', 'known', 'inconclusive', 'not_exercised', 'shown']

/** Requirements by how they stand: those of the profile, and any other that is violated. */
export function countsOf({ rows }: Pick<PageFacts, 'rows'>): (readonly [mark: Mark, count: number])[] {
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
  const [first] = newChecks(facts.run, ['fail'])
  if (!first) return null
  return (
    <li key="fail">
      Start with{' '}
      <Link facts={facts} to="scenario" id={first.scenario.id}>
        {first.scenario.title}
      </Link>
      . Its card has the answer, the likely cause and a command that repeats it.
    </li>
  )
}

function doubts({ run }: PageFacts): ComponentChildren {
  const count = newChecks(run, ['inconclusive', 'harness_error', 'drift']).length
  if (count === 0) return null
  return (
    <li key="doubt">
      Read <a href="#results">{countOf(count, 'inconclusive result')}</a>. Each says what would settle it.
    </li>
  )
}

function biggestGap({ run }: PageFacts): ComponentChildren {
  const [gap] = unverified(run).filter(({ code }) => code !== undefined && code !== 'open-point' && code !== 'filtered')
  if (!gap) return null
  return (
    <li key="gap">
      To test {countOf(gap.requirements.length, 'more requirement')}: {gap.todo}{' '}
      <a href="#unverified">All that was not verified</a>
    </li>
  )
}

function Identity({ run }: { run: RunResult }) {
  const { edition, scenarios, target, runId } = run.identity
  const checks = Object.entries(run.summary.checks) as [Mark, number][]
  const ran = checks.filter(([, count]) => count > 0)
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
        {ran.length === 0 && 'none'}
        {ran.map(([verdict, count]) => (
          <span key={verdict}>
            {withCommas(count)} <MarkOf what={verdict} />
          </span>
        ))}
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
