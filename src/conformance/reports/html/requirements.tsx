import { firstFew, grouped } from '../../../contract/words.ts'
import { shorten } from '../escape.ts'
import { ADDITIONS_TITLE, sectionsOf } from '../not-verified.ts'
import { anchorOf, countsOf, type PageFacts } from './page-facts.ts'
import { Bar, ExchangeLink, Heads, kindOf, Link, MarkOf, markOfCheck } from './parts.tsx'
import { countOf } from './texts.ts'

/** Every row of the registry, by the heading of the document it comes from, with the checks it led to. */
export function Requirements({ facts }: { facts: PageFacts }) {
  return (
    <div class="areas">
      {[...grouped(facts.rows, ({ requirement }) => requirement.section)].map(([section, rows]) => (
        <table key={section} class="area" id={anchorOf(facts, 'area', section)}>
          <caption>{section === '' ? 'Other' : section}</caption>
          <Heads of={['Requirement', 'Text', 'Level', 'Status']} />
          <tbody>
            {rows.map((row) => (
              <Row key={row.requirement.id} facts={facts} row={row} />
            ))}
          </tbody>
        </table>
      ))}
    </div>
  )
}

function Row({ facts, row: { requirement, mark } }: { facts: PageFacts; row: PageFacts['rows'][number] }) {
  const { id, text, level, unobservable } = requirement
  return (
    <tr class={`row item is-${kindOf(mark)}`} id={anchorOf(facts, 'requirement', id)}>
      <th scope="row">{id}</th>
      <td class="text">
        {text}
        {unobservable !== undefined && <p class="soft">{unobservable}</p>}
        <Checks facts={facts} requirement={requirement} />
      </td>
      <td class="level">{level}</td>
      <td class="state">
        <MarkOf what={mark} />
      </td>
    </tr>
  )
}

function Checks({
  facts,
  requirement: { id, checks: ran },
}: { facts: PageFacts } & Pick<PageFacts['rows'][number], 'requirement'>) {
  const checks = facts.checksByRequirement.get(id) ?? []
  if (checks.length === 0) return null
  return (
    <details class="more">
      <summary>
        {countOf(checks.length, 'check')}
        {ran !== checks.length && `, ${ran} ran`}
      </summary>
      <ul class="checks">
        {checks.map((placed) => (
          <li key={placed.scenario.id + placed.check.step}>
            <MarkOf what={markOfCheck(placed.check)} />{' '}
            <span>
              <Link facts={facts} to="scenario" id={placed.scenario.id} /> › {placed.check.step}
              <ExchangeLink facts={facts} check={placed.check} />
            </span>
          </li>
        ))}
      </ul>
    </details>
  )
}

/** More would make tiles of very different heights. */
const MAX_LINKS = 4

/** A tile for each heading of the document: how many of its requirements are verified, and where to read on. */
export function Areas({ facts }: { facts: PageFacts }) {
  const areas = grouped(
    facts.rows.filter(({ counts }) => counts),
    ({ requirement }) => requirement.section,
  )
  return (
    <ul class="tiles">
      {[...areas].map(([section, rows]) => (
        <Tile key={section} facts={facts} section={section} rows={rows} />
      ))}
    </ul>
  )
}

function Tile({ facts, section, rows }: { facts: PageFacts; section: string; rows: PageFacts['rows'] }) {
  const counts = countsOf(rows)
  const shown = rows.filter(({ mark }) => mark === 'passed').length
  const open = counts.filter(([mark]) => mark !== 'passed').map(([mark, count]) => `${count} ${mark}`)
  return (
    <li>
      <p>
        <Link facts={facts} to="area" id={section}>
          {section === '' ? 'Other' : section}
        </Link>{' '}
        <b>{`${shown}/${rows.length}`}</b>
      </p>
      <Bar counts={counts} />
      {open.length > 0 && <p class="soft">{open.join(', ')}</p>}
      <TileLinks facts={facts} rows={rows} />
    </li>
  )
}

/** Requirements that failed or are inconclusive, each with a link to what says most about it. */
function TileLinks({ facts, rows }: { facts: PageFacts; rows: PageFacts['rows'] }) {
  const open = rows.filter(({ mark }) => kindOf(mark) === 'failed' || mark === 'inconclusive')
  if (open.length === 0) return null
  const left = open.length - MAX_LINKS
  return (
    <p class="ids">
      {open
        .slice(0, MAX_LINKS)
        .map(({ requirement: { id }, mark }) => [
          <Link key={id} facts={facts} to={mark === 'inconclusive' ? 'requirement' : 'failure'} id={id} />,
          ' ',
        ])}
      {left > 0 && <span class="soft">and {left} more</span>}
    </p>
  )
}

const MAX_NOTES = 5

/** What this run did not verify, why, and what would change that. */
export function Unverified({ facts }: { facts: PageFacts }) {
  return (
    <>
      {facts.notVerified.map((group) => (
        <Reason key={group.reason} facts={facts} group={group} />
      ))}
      {facts.additions.length > 0 && (
        <section class="gap">
          <h3>{ADDITIONS_TITLE}</h3>
          <pre>{facts.additions.join('\n')}</pre>
        </section>
      )}
    </>
  )
}

function Reason({
  facts,
  group: { reason, requirements, notes, todo },
}: {
  facts: PageFacts
  group: PageFacts['notVerified'][number]
}) {
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
