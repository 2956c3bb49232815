import type { CreatedThing, RunResult } from '../../result/result.ts'
import { shorten } from '../escape.ts'
import { grouped } from '../grouped.ts'
import { type Answer, answersOf } from '../open-points.ts'
import type { PageFacts } from './page-facts.ts'
import { Heads, Link } from './parts.tsx'
import { countOf, duration, value, withCommas } from './texts.ts'

const MAX_IDS = 400
const MAX_ID_CHARACTERS = 120

/** What the target does at open points of the document. */
export function OpenPoints({ facts }: { facts: PageFacts }) {
  const answers = answersOf(facts.run)
  const inOrder = new Set([...facts.run.requirements.map(({ id }) => id), ...answers.keys()])
  return (
    <dl class="answers">
      {[...inOrder].map(
        (id) => answers.has(id) && <Point key={id} facts={facts} id={id} answers={answers.get(id) ?? []} />,
      )}
    </dl>
  )
}

function Point({ facts, id, answers }: { facts: PageFacts; id: string; answers: readonly Answer[] }) {
  return (
    <div>
      <dt>
        <Link facts={facts} to="requirement" id={id} /> {facts.run.requirements.find((row) => row.id === id)?.text}
      </dt>
      {answers.map((answer) => (
        <dd key={answer.about + answer.value}>
          <AnswerLine facts={facts} answer={answer} />
        </dd>
      ))}
    </div>
  )
}

function AnswerLine({
  facts,
  answer: { about, value: seen, scenarios, pinned },
}: {
  facts: PageFacts
  answer: Answer
}) {
  return (
    <>
      {about !== '' && `${about}: `}
      <code class="seen">{value(seen)}</code> {pinned !== null && <>instead of {value(pinned)}, as pinned, </>}
      <span class="soft">
        in {scenarios.map((id, at) => [at > 0 && ', ', <Link key={id} facts={facts} to="scenario" id={id} />])}
      </span>
    </>
  )
}

/** What the run left on the target, by kind. */
export function Created({ facts: { run, options } }: { facts: PageFacts }) {
  return (
    <>
      <p>
        {options.keepsNothing === true
          ? 'The target was a temporary sandbox. It is gone, and everything below with it.'
          : 'The API cannot delete anything, so these are still on the target.'}
      </p>
      {[...grouped(run.created, ({ kind }) => kind)].map(([kind, things]) => (
        <details key={kind} class="more">
          <summary>{countOf(things.length, kind.replaceAll('_', ' '))}</summary>
          <ul class="things">
            {things.slice(0, MAX_IDS).map(({ id }) => (
              <li key={id}>
                <code>{shorten(id, MAX_ID_CHARACTERS)}</code>
              </li>
            ))}
            {things.length > MAX_IDS && <li>and {things.length - MAX_IDS} more</li>}
          </ul>
        </details>
      ))}
    </>
  )
}

/** The most that the run was going to do, against what it did. */
export function Budget({ facts }: { facts: PageFacts }) {
  return (
    <>
      <table class="budget">
        <Heads of={['What', 'Declared', 'Budget', 'Used']} />
        <tbody>
          {budgetRows(facts).map(([name, ...cells]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {cells.map((cell) => (
                <td>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p class="soft">
        Used are the orders, quotes and webhooks that the target accepted. Declared is what the scenarios that may run
        say that they make.
      </p>
    </>
  )
}

function budgetRows({
  run,
  options,
}: PageFacts): (readonly [name: string, declared: string, budget: string, used: string])[] {
  const { plan, summary, scenarios } = run
  const { budget } = plan
  const limit = (most: number | null) => (most === null ? 'none' : withCommas(most))
  // In a sandbox of our own, what was made in copies of its world costs nothing and is not counted.
  const made = (kind: CreatedThing['kind']) => (options.keepsNothing ? 'not counted' : withCommas(created(run, kind)))
  const ran = scenarios.filter(({ checks }) => checks.some(({ verdict }) => verdict !== 'not_run'))
  return [
    ['Requests', '', limit(budget.requests), withCommas(summary.requests)],
    ['Orders', withCommas(plan.orders), limit(budget.orders), made('order')],
    ['Quotes', withCommas(plan.quotes), limit(budget.quotes), made('quote')],
    ['Webhooks', withCommas(plan.webhooks), '', made('webhook')],
    ['Longest wait', plan.longestWaitMs === 0 ? 'none' : duration(plan.longestWaitMs), '', ''],
    ...(plan.questions > 0 ? [['Questions to a person', `${plan.questions}`, '', ''] as const] : []),
    ['Scenarios', `${plan.scenarios}`, '', `${ran.length}`],
  ]
}

function created({ created: things, target }: RunResult, kind: CreatedThing['kind']): number {
  if (target.environment === 'receiver') return 0
  return things.filter((thing) => thing.kind === kind).length
}
