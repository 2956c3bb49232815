import { shorten } from '../escape.ts'
import { firstFew, grouped } from '../grouped.ts'
import { type Answer, answersOf } from '../open-points.ts'
import { usageOf } from '../report-model.ts'
import type { PageFacts } from './page-facts.ts'
import { Heads, Link } from './parts.tsx'
import { capital, countOf, duration, value, withCommas } from './texts.ts'

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
            {firstFew(
              things.map(({ id }) => shorten(id, MAX_ID_CHARACTERS)),
              MAX_IDS,
            ).map((id) => (
              <li key={id}>{id}</li>
            ))}
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

function budgetRows({ run, options }: PageFacts): string[][] {
  const { plan, scenarios } = run
  const ran = scenarios.filter(({ checks }) => checks.some(({ verdict }) => verdict !== 'not_run'))
  const cell = (count: number | null, none: string) => (count === null ? none : withCommas(count))
  return [
    ...usageOf(run, options.keepsNothing).map(({ name, declared, budget, used }) => [
      ...[capital(name), cell(declared, ''), cell(budget, 'none'), cell(used, 'not counted')],
    ]),
    ['Longest wait', plan.longestWaitMs === 0 ? 'none' : duration(plan.longestWaitMs), '', ''],
    ...(plan.questions > 0 ? [['Questions to a person', `${plan.questions}`, '', '']] : []),
    ['Scenarios', `${plan.scenarios}`, '', `${ran.length}`],
  ]
}
