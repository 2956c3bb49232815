import { Frame } from '../../page-kit/frame.tsx'
import { inlineHash } from '../../page-kit/page-text.ts'
import { document } from '../wire/page-kit/layout.tsx'
import { BASE_STYLE, WIDE_STYLE } from '../wire/page-kit/style.ts'
import type { CoverageReport } from './report.ts'
import type { CoverageSection, Row } from './rows.ts'

const SHEET_STYLE = `${BASE_STYLE}${WIDE_STYLE}
@media (max-width:42rem){.sheet{padding:1.25rem 1rem 3rem}}
.sheet{max-width:72rem}
.sheet h1{font-size:1.75rem}
.sheet h2{font-size:1.25rem;margin:0;flex:1 1 auto}
.total{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem 1.5rem;margin:0 0 1.5rem;padding:1.25rem;background:var(--card);border:1px solid var(--line);border-radius:.75rem}
.total strong{font-size:2.5rem;line-height:1;font-variant-numeric:tabular-nums}
.total p{margin:0}
.bar{display:block;width:100%;height:.5rem;border-radius:.25rem;background:var(--line);overflow:hidden}
.bar rect{fill:var(--good)}
.overview{list-style:none;margin:0 0 2.5rem;padding:0;display:grid;grid-template-columns:repeat(auto-fill,minmax(15rem,1fr));gap:.75rem}
.overview a{display:block;height:100%;padding:.75rem 1rem;color:inherit;text-decoration:none;background:var(--card);border:1px solid var(--line);border-radius:.5rem}
.overview a:hover{border-color:var(--accent)}
.overview span{display:flex;justify-content:space-between;gap:1rem;margin:0 0 .375rem}
.number{font-variant-numeric:tabular-nums;white-space:nowrap}
.area{margin:0 0 2.5rem;padding-top:1.25rem;border-top:1px solid var(--line)}
.area header{display:flex;flex-wrap:wrap;align-items:baseline;gap:.25rem 1rem;margin:0 0 .75rem}
.sheet table{width:100%;border-collapse:collapse;font-size:.9375rem}
.sheet th,.sheet td{text-align:left;vertical-align:top;padding:.5rem .75rem .5rem 0;border-bottom:1px solid var(--line);font-weight:400}
.sheet thead th{color:var(--soft);font-size:.8125rem;font-weight:600;white-space:nowrap}
.sheet td.count,.sheet th.count{text-align:right}
.sheet td.when,.sheet td.count{white-space:nowrap;font-variant-numeric:tabular-nums;color:var(--soft)}
.sheet p.note{margin:.125rem 0 0;color:var(--soft);font-size:.875rem;overflow-wrap:anywhere}
.mark{display:inline-block;min-width:5.75rem;padding:.0625rem .5rem;border:1px solid currentColor;border-radius:1rem;font-size:.8125rem;font-weight:600;text-align:center;white-space:nowrap}
.mark.met{color:var(--good)}
.mark.wrong{color:var(--bad);background:var(--bad-ground)}
.mark.partly{color:var(--on-sand);background:var(--sand)}
.mark.not_met,.mark.not_counted{color:var(--soft)}
@media (max-width:42rem){.sheet thead{position:absolute;left:-999rem}
.sheet table,.sheet tbody,.sheet tr,.sheet th,.sheet td{display:block;border:0;padding:0}
.sheet tr{padding:.625rem 0;border-bottom:1px solid var(--line)}
.sheet tbody th{margin-top:.375rem}
.sheet td.count,.sheet td.when{display:inline;font-size:.875rem;text-align:left}
.sheet td.count:not(:empty)::before{content:attr(data-name) ' '}
.sheet td.when:not(:empty)::before{content:' · ' attr(data-name) ' '}}
@media print{:root{color-scheme:light;--ground:#fff;--card:#fff;--ink:#000;--soft:#444;--line:#ccc;--good:#1a6238;--bad:#a6241c;--bad-ground:#fff;--sand:#fff;--on-sand:#3f3006}
.sheet{padding:0;max-width:none}.overview{grid-template-columns:repeat(3,1fr)}.sheet tr,.overview li,.total{break-inside:avoid}.area header{break-after:avoid}
.bar{-webkit-print-color-adjust:exact;print-color-adjust:exact}}
`

const SHEET_STYLE_HASH = inlineHash(SHEET_STYLE)

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

type CountedPart = Pick<CoverageSection, 'met' | 'of'>

function Count({ part }: { part: CountedPart }) {
  return <span class="number">{`${part.met} of ${part.of}`}</span>
}

function Bar({ part: { met, of } }: { part: CountedPart }) {
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

function Area({ section }: { section: CoverageSection }) {
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
