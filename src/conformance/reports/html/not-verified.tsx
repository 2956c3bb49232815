import { shorten } from '../escape.ts'
import { firstFew } from '../grouped.ts'
import { type NotVerified, sectionsOf } from '../not-verified.ts'
import type { PageFacts } from './page-facts.ts'
import { Link } from './parts.tsx'
import { countOf } from './texts.ts'

const MAX_NOTES = 5

/** What this run did not verify, why, and what would change that. */
export function Unverified({ facts }: { facts: PageFacts }) {
  return (
    <>
      {facts.notVerified.map((group) => (
        <Reason key={group.reason} facts={facts} group={group} />
      ))}
    </>
  )
}

function Reason({ facts, group: { reason, requirements, notes, todo } }: { facts: PageFacts; group: NotVerified }) {
  const [first = '', ...words] = reason.split(': ')
  return (
    <section class="gap">
      <h3>
        {countOf(requirements.length, 'requirement')} {first === 'inconclusive' ? 'inconclusive' : 'not run'}:{' '}
        {words.length === 0 ? first : words.join(': ')}
      </h3>
      <p>
        <b>To do:</b> {todo} {words.length > 0 && <code class="soft">{first}</code>}
      </p>
      {notes.length > 0 && (
        <ul class="plain">
          {firstFew(notes, MAX_NOTES).map((note) => (
            <li key={note}>{shorten(note, 300)}</li>
          ))}
        </ul>
      )}
      <Where facts={facts} ids={requirements} />
    </section>
  )
}

/** The requirements by heading of the document, the largest parts first. */
function Where({ facts, ids }: { facts: PageFacts; ids: readonly string[] }) {
  const own = facts.run.requirements.filter(({ id }) => ids.includes(id))
  return (
    <details class="more">
      <summary>{sectionsOf(own).join(', ')}</summary>
      <p class="ids">{own.map(({ id }) => [<Link key={id} facts={facts} to="requirement" id={id} />, ' '])}</p>
    </details>
  )
}
