import { grouped } from '../digest.ts'
import { anchorOf, type PageFacts, type RequirementRow } from './page-facts.ts'
import { CheckLine, Heads } from './parts.tsx'
import { countOf } from './texts.ts'
import { kindOf, MarkOf } from './words.tsx'

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

function Row({ facts, row: { requirement, mark } }: { facts: PageFacts; row: RequirementRow }) {
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
}: { facts: PageFacts } & Pick<RequirementRow, 'requirement'>) {
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
          <CheckLine key={placed.scenario.id + placed.check.step} facts={facts} placed={placed} />
        ))}
      </ul>
    </details>
  )
}
