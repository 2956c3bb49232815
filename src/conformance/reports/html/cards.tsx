import type { ScenarioResult } from '../../result/result.ts'
import type { CheckInContext } from '../digest.ts'
import { Controls } from './controls.tsx'
import { Exchange } from './exchange.tsx'
import { Failure } from './failure.tsx'
import { anchorOf, type PageFacts } from './page-facts.ts'
import { ExchangeLink, Heads, Link, Outcome } from './parts.tsx'
import { countOf, duration, MAX_BODY_CHARACTERS, withCommas } from './texts.ts'
import { type Kind, kindOf, type Mark, MarkOf, markOfCheck, markOfScenario } from './words.tsx'

/** Of one scenario; the rest are lines of its table, since they mostly say the same. */
const WHOLE_FAILURES = 4

/** So many cards that are not green are unfolded from the start. */
const OPEN_CARDS = 25

interface Group {
  id: string
  title: string
  isOpen: boolean
  scenarios: readonly ScenarioResult[]
}

/** A card for each scenario, those that failed first. */
export function Cards({ facts }: { facts: PageFacts }) {
  return (
    <>
      <Controls facts={facts} />
      {groupsOf(facts.run.scenarios).map((group) => (
        <details key={group.id} class="group" id={group.id} open={group.isOpen}>
          <summary>
            <h3>{group.title}</h3> <span class="soft">{withCommas(group.scenarios.length)}</span>
          </summary>
          {group.scenarios.map((scenario, at) => (
            <Card key={scenario.id} facts={facts} scenario={scenario} isOpen={group.isOpen && at < OPEN_CARDS} />
          ))}
        </details>
      ))}
      <RunnersOwn facts={facts} />
      <p class="soft">{transcriptNote(facts)}</p>
    </>
  )
}

function groupsOf(scenarios: readonly ScenarioResult[]): Group[] {
  const rest = scenarios.filter((scenario) => !isLeftOut(scenario))
  const those = (isOne: (mark: Mark) => boolean) => rest.filter((scenario) => isOne(markOfScenario(scenario)))
  const kind = (wanted: Kind) => those((mark) => kindOf(mark) === wanted)
  return [
    { id: 'failed', title: 'Failed', isOpen: true, scenarios: those((mark) => mark === 'fail') },
    { id: 'doubt', title: 'Inconclusive', isOpen: true, scenarios: kind('doubt') },
    { id: 'known', title: 'Known failures', isOpen: true, scenarios: those((mark) => mark === 'known') },
    { id: 'untested', title: 'Not run', isOpen: false, scenarios: kind('untested') },
    { id: 'passed', title: 'Passed', isOpen: false, scenarios: kind('passed') },
    { id: 'filtered', title: 'Left out by the selection', isOpen: false, scenarios: scenarios.filter(isLeftOut) },
  ].filter((group) => group.scenarios.length > 0)
}

function isLeftOut({ checks }: ScenarioResult): boolean {
  return checks.length > 0 && checks.every(({ reason }) => reason === 'filtered')
}

function Card({ facts, scenario, isOpen }: { facts: PageFacts; scenario: ScenarioResult; isOpen: boolean }) {
  const { id, title, checks, durationMs } = scenario
  const mark = markOfScenario(scenario)
  const ran = checks.some(({ verdict }) => verdict !== 'not_run')
  return (
    <details class={`card item is-${kindOf(mark)}`} id={anchorOf(facts, 'scenario', id)} open={isOpen}>
      <summary>
        <MarkOf what={mark} />{' '}
        <span class="name">
          {title} <code>{id}</code>
        </span>{' '}
        <span class="soft">
          {countOf(checks.length, 'check')}
          {ran && `, ${duration(durationMs)}`}
        </span>
      </summary>
      <CardBody facts={facts} id={id} />
    </details>
  )
}

function CardBody({ facts, id }: { facts: PageFacts; id: string }) {
  const checks = facts.checksByScenario.get(id) ?? []
  const failures = checks.filter(({ check }) => check.verdict === 'fail').slice(0, WHOLE_FAILURES)
  const isWhole = failures.length < checks.length
  const exchanges = facts.keptByScenario.get(id) ?? []
  return (
    <div class="inside">
      {failures.map((placed, at) => (
        <Failure
          key={placed.check.step + placed.check.requirement}
          facts={facts}
          placed={placed}
          before={failures.slice(0, at)}
        />
      ))}
      {isWhole &&
        (failures.length === 0 ? <Steps facts={facts} checks={checks} /> : <Folded facts={facts} checks={checks} />)}
      {exchanges.length > 0 && (
        <details class="more">
          <summary>Transcript: {countOf(exchanges.length, 'exchange')}</summary>
          {exchanges.map((exchange) => (
            <Exchange key={exchange.id} facts={facts} exchange={exchange} />
          ))}
        </details>
      )}
    </div>
  )
}

interface StepsProps {
  facts: PageFacts
  checks: readonly CheckInContext[]
}

function Folded({ facts, checks }: StepsProps) {
  return (
    <details class="more">
      <summary>All {countOf(checks.length, 'check')} of this scenario</summary>
      <Steps facts={facts} checks={checks} />
    </details>
  )
}

function Steps({ facts, checks }: StepsProps) {
  return (
    <table class="steps">
      <Heads of={['Step', 'Requirement', 'Verdict', 'Outcome']} />
      <tbody>
        {checks.map((placed) => (
          <StepRow key={placed.check.step + placed.check.requirement} facts={facts} placed={placed} />
        ))}
      </tbody>
    </table>
  )
}

function StepRow({ facts, placed }: { facts: PageFacts; placed: CheckInContext }) {
  const { check } = placed
  return (
    <tr>
      <th scope="row">{check.step}</th>
      <td>
        <Link facts={facts} to="requirement" id={check.requirement} />
      </td>
      <td>
        <MarkOf what={markOfCheck(check)} />
      </td>
      <td>
        <Outcome placed={placed} />
        <ExchangeLink facts={facts} check={check} />
      </td>
    </tr>
  )
}

/** Which exchanges are here, and which are not. */
function transcriptNote({ run, keptByScenario }: PageFacts): string {
  const kept = [...keptByScenario.values()].reduce((sum, own) => sum + own.length, 0)
  const made = Math.max(run.summary.requests, run.exchanges.length)
  const bodies = `Bodies are cut after ${withCommas(MAX_BODY_CHARACTERS)} characters.`
  if (kept >= made) return `All ${countOf(made, 'exchange')} of the run are here. ${bodies}`
  return `${withCommas(kept)} of ${countOf(made, 'exchange')} are shown: those of scenarios that are not green, and those that decided a check. ${bodies} The log of the run (--reporter ndjson) has the rest.`
}

/** Calls that belong to no scenario: fixtures, controls, the first call. */
function RunnersOwn({ facts }: { facts: PageFacts }) {
  const scenarios = new Set(facts.run.scenarios.map(({ id }) => id))
  const own = [...facts.keptByScenario].filter(([word]) => !scenarios.has(word))
  if (own.length === 0) return null
  return (
    <details class="group">
      <summary>
        <h3>The runner’s own calls</h3> <span class="soft">{own.map(([word]) => word).join(', ')}</span>
      </summary>
      {own.flatMap(([, exchanges]) =>
        exchanges.map((exchange) => <Exchange key={exchange.id} facts={facts} exchange={exchange} />),
      )}
    </details>
  )
}
