import { Frame } from '../../page-kit/frame.tsx'
import { document } from '../wire/page-kit/document.tsx'
import type { CoverageReport } from './report.ts'
import type { Row, Section } from './row.ts'
import { SHEET_STYLE, SHEET_STYLE_HASH } from './sheet-style.ts'

/** What the sheet may do in a browser: be shown in its own style. It holds in a file, too. */
const POLICY = `default-src 'none'; style-src '${SHEET_STYLE_HASH}'; base-uri 'none'; form-action 'none'`

/** The policy as it goes over HTTP, where frames can be forbidden as well. */
export const SHEET_POLICY = `${POLICY}; frame-ancestors 'none'`

/** Coverage as one page that needs no other file, to be viewed, printed or sent. */
export function coverageSheet(report: CoverageReport): string {
  return document(<Sheet report={report} />)
}

function Sheet({ report }: { report: CoverageReport }) {
  const title = `Coverage of ${report.world}`
  return (
    <Frame title={title} style={SHEET_STYLE} policy={POLICY}>
      <div class="wide sheet">
        <main>
          <h1>{title}</h1>
          <p class="lead">
            What the clients of this world have exercised, compared with the whole Partner Commerce API. Seed{' '}
            <code>{report.seed}</code>; world time <Instant at={report.now} />
            {report.since !== null && (
              <>
                ; counted since <Instant at={report.since} />
              </>
            )}
            .
          </p>
          <Total summary={report.summary} />
          <ul class="overview">
            {report.sections.map((section) => (
              <li key={section.id}>
                <a href={`#${section.id}`}>
                  <span>
                    {section.title} <Count part={section} />
                  </span>
                  <Bar part={section} />
                </a>
              </li>
            ))}
          </ul>
          {report.sections.map((section) => (
            <Area key={section.id} section={section} />
          ))}
        </main>
        <footer>
          <p>Made by partner-sandbox {report.version}. All times are in the world’s own time, UTC.</p>
        </footer>
      </div>
    </Frame>
  )
}

type Part = Pick<Section, 'met' | 'of'>

function Count({ part }: { part: Part }) {
  return <span class="number">{`${part.met} of ${part.of}`}</span>
}

function Bar({ part: { met, of } }: { part: Part }) {
  return (
    <svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
      <rect width={of === 0 ? 0 : (100 * met) / of} height="8" />
    </svg>
  )
}

function Total({ summary }: { summary: CoverageReport['summary'] }) {
  const { met, of, percent, wrong, not_counted: notCounted, own_choices: hasChoices } = summary
  return (
    <div class="total">
      <strong>{`${percent} %`}</strong>
      <p>
        {`${met} of ${of} exercised`}
        {wrong > 0 && (
          <>
            {', '}
            <span class="mark wrong">{`${wrong} wrong`}</span>
          </>
        )}
        {`; ${notCounted} more are listed but not counted: no API call can show them`}
        {hasChoices && '. This world has non-default choices for open points, which add or remove rows'}
      </p>
      <Bar part={summary} />
    </div>
  )
}

function Area({ section }: { section: Section }) {
  return (
    <section class="area" id={section.id} aria-labelledby={`${section.id}-title`}>
      <header>
        <h2 id={`${section.id}-title`}>{section.title}</h2>
        <Count part={section} />
      </header>
      <table>
        <thead>
          <tr>
            <th scope="col">State</th>
            <th scope="col">What</th>
            <th scope="col" class="count">
              Count
            </th>
            <th scope="col">First</th>
            <th scope="col">Last</th>
          </tr>
        </thead>
        <tbody>
          {section.rows.map((row) => (
            <Line key={row.id} row={row} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Line({ row }: { row: Row }) {
  const { title, state, count, says, hint, request_id: requestId } = row
  return (
    <tr>
      <td>
        <span class={`mark ${state}`}>{state.replace('met', 'exercised').replaceAll('_', ' ')}</span>
      </td>
      <th scope="row">
        {title}
        {says !== null && <p class="note">{requestId === null ? says : `${says} (${requestId})`}</p>}
        {hint !== null && <p class="note">{`How: ${hint}`}</p>}
      </th>
      <td class="count" data-name="count">
        {count > 0 ? count : ''}
      </td>
      <td class="when" data-name="first">
        {row.first_at && <Instant at={row.first_at} />}
      </td>
      <td class="when" data-name="last">
        {row.last_at && <Instant at={row.last_at} />}
      </td>
    </tr>
  )
}

function Instant({ at }: { at: string }) {
  return <time dateTime={at}>{`${at.slice(0, 10)} ${at.slice(11, 19)}`}</time>
}
