import type { NotRunReason, RunResult } from '../../result/result.ts'
import { shorten } from '../escape.ts'
import { grouped } from '../grouped.ts'
import type { NotVerified } from '../not-verified.ts'
import type { PageFacts } from './page-facts.ts'
import { Link } from './parts.tsx'
import { capital, countOf } from './texts.ts'

const MAX_NOTES = 5

/** Why, as the beginning of a sentence about the reader's server. */
const BECAUSE: Readonly<Record<NotRunReason, (server: string) => string>> = {
  'needs-scope': () => 'This run has no credential with the required scope',
  'needs-partner': (server) => `This run has no credential of a second partner of your ${server}`,
  'needs-environment': (server) => `This run has no credential of a second environment of your ${server}`,
  'needs-operator': (server) => `This run cannot move orders or time on your ${server}`,
  'needs-receiver': (server) => `Your ${server} has no address at which it can deliver to this run`,
  'needs-fixture': (server) => `This run knows no domain of the required kind on your ${server}`,
  'needs-dialect': (server) => `This run does not know where your ${server} writes a value in its answers`,
  'read-only': (server) => `This run may only read from your ${server}`,
  'open-point': (server) => `Your ${server} chose otherwise where the document leaves a choice`,
  budget: (server) => `The budget for calls to your ${server} was used up`,
  filtered: () => 'You selected other scenarios',
  interrupted: () => 'The run ended early',
  'dry-run': (server) => `A dry run sends nothing to your ${server}`,
}

/** What this run did not verify, why, and what would change that. */
export function Unverified({ facts }: { facts: PageFacts }) {
  const hidden = facts.run.requirements.filter(({ unobservable }) => unobservable !== undefined)
  return (
    <>
      {facts.notVerified.map((group) => (
        <Reason key={group.reason} facts={facts} group={group} />
      ))}
      {hidden.length > 0 && (
        <details class="gap">
          <summary>
            <h3>{countOf(hidden.length, 'requirement')} cannot be tested from outside</h3>
          </summary>
          <ul class="plain">
            {hidden.map(({ id, unobservable }) => (
              <li key={id}>
                <Link facts={facts} to="requirement" id={id} /> {unobservable}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}

function Reason({ facts, group }: { facts: PageFacts; group: NotVerified }) {
  const { reason, requirements, notes } = group
  const left = notes.length - MAX_NOTES
  return (
    <section class="gap">
      <h3>{sentence(facts.run, group)}</h3>
      <p>
        <ToDo group={group} /> <code class="soft">{reason.split(': ')[0]}</code>
      </p>
      {notes.length > 0 && (
        <ul class="plain">
          {notes.slice(0, MAX_NOTES).map((note) => (
            <li key={note}>{shorten(note, 300)}</li>
          ))}
          {left > 0 && <li>and {left} more</li>}
        </ul>
      )}
      <Where facts={facts} ids={requirements} />
    </section>
  )
}

function ToDo({ group: { code, reason, todo } }: { group: NotVerified }) {
  if (isDoubt(reason))
    return (
      <>
        <b>To do:</b> <a href="#results">See their cards;</a> each has its own reason.
      </>
    )
  const isChoice = code === undefined || code === 'open-point'
  return (
    <>
      <b>{isChoice ? 'To do:' : 'To test them:'}</b> {todo}
    </>
  )
}

function isDoubt(reason: string): boolean {
  return reason.startsWith('inconclusive')
}

/** `Your server …, so 23 requirements were not run.` */
function sentence(run: RunResult, { reason, code, requirements }: NotVerified): string {
  const because = code === undefined ? capital(reason.split(': ').at(-1) ?? '') : BECAUSE[code](serverOf(run))
  const count = countOf(requirements.length, 'requirement was', 'requirements were')
  return `${because}, so ${count} ${isDoubt(reason) ? 'inconclusive' : 'not run'}.`
}

function serverOf({ target }: RunResult): string {
  return target.environment === 'receiver' ? 'receiver' : 'server'
}

/** The requirements by heading of the document, the largest parts first. */
function Where({ facts, ids }: { facts: PageFacts; ids: readonly string[] }) {
  const own = facts.run.requirements.filter(({ id }) => ids.includes(id))
  const areas = [...grouped(own, ({ section }) => section)].sort(([, a], [, b]) => b.length - a.length)
  return (
    <details class="more">
      <summary>{areas.map(([section, rows]) => `${section || 'Other'} ${rows.length}`).join(', ')}</summary>
      <p class="ids">{own.map(({ id }) => [<Link key={id} facts={facts} to="requirement" id={id} />, ' '])}</p>
    </details>
  )
}
