import type { ComponentChildren } from 'preact'
import { exchangesIn } from '../../http/exchange.ts'
import type { CheckResult, RedactedExchange } from '../../result/result.ts'
import type { ReportedCheck } from '../causes.ts'
import { shorten } from '../escape.ts'
import { seenAndWhy, todoOf, whyNot } from '../not-verified.ts'
import { OUTCOME_OF } from '../report-model.ts'
import { anchorOf, type Mark, type PageFacts } from './page-facts.ts'
import { value } from './texts.ts'

const TONES: Readonly<Record<Mark, 'good' | 'bad' | 'doubt' | 'info' | 'quiet'>> = {
  failed: 'bad',
  'known failure': 'info',
  inconclusive: 'doubt',
  'not run': 'quiet',
  passed: 'good',
  observed: 'info',
  open: 'info',
  'not observable': 'quiet',
}

/** A colored word; the word alone says it, too. */
export function MarkOf({ what }: { what: Mark }) {
  return <span class={`mark ${TONES[what]}`}>{what}</span>
}

export function markOfCheck({ known, verdict }: CheckResult): Mark {
  return known === undefined ? OUTCOME_OF[verdict] : 'known failure'
}

/** A mark as the class of an element. */
export function classOf(mark: Mark): string {
  return mark.replace(' ', '-')
}

/** What a reader can choose by; a known failure is among the failed. The style sheet has a rule for each. */
export const FILTERS = ['failed', 'inconclusive', 'not run', 'passed', 'observed'] as const

/** The class by which the filter finds a card or row. */
export function kindOf(mark: Mark): string {
  return classOf(mark === 'known failure' ? 'failed' : mark)
}

interface LinkProps {
  facts: PageFacts
  /** What the link leads to. */
  to: Parameters<typeof anchorOf>[1]
  id: string
  children?: ComponentChildren
}

/** A link within the page, or the plain text where the page does not show the thing. */
export function Link({ facts, to, id, children = id }: LinkProps) {
  const anchor = anchorOf(facts, to, id)
  return anchor === undefined ? children : <a href={`#${anchor}`}>{children}</a>
}

/** The heads of a table's columns. */
export function Heads({ of }: { of: readonly string[] }) {
  return (
    <thead>
      <tr>
        {of.map((head) => (
          <th key={head} scope="col">
            {head}
          </th>
        ))}
      </tr>
    </thead>
  )
}

/** An instant for readers in every country; what is not an instant is left as it is. */
export function Instant({ iso }: { iso: string }) {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(iso)) return <>{iso}</>
  return <time dateTime={iso}>{`${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`}</time>
}

/** A text with a button beside it that copies it; the script shows the button. */
export function Copyable({ what, text, short = false }: { what: string; text: string; short?: boolean }) {
  return (
    <span class={short ? 'copyable short' : 'copyable'}>
      <code>{text}</code>
      <button type="button" hidden>
        Copy<span class="unseen"> {what}</span>
      </button>
    </span>
  )
}

/** How many there are of each outcome, as a bar; the words beside it say the same. */
export function Bar({ counts }: { counts: readonly (readonly [mark: Mark, count: number])[] }) {
  const total = counts.reduce((sum, [, count]) => sum + count, 0)
  const before = (at: number) => counts.slice(0, at).reduce((sum, [, count]) => sum + count, 0)
  return (
    <svg class="bar" viewBox={`0 0 ${total} 1`} preserveAspectRatio="none" aria-hidden="true">
      {counts.map(([mark, count], at) => (
        <rect key={mark} class={classOf(mark)} x={before(at)} width={count} height="1" />
      ))}
    </svg>
  )
}

/** What a check says for itself, in the words that its verdict asks for. */
export function CheckFacts({ placed: { check, exchange } }: { placed: ReportedCheck }) {
  const { verdict, expected, actual, note } = check
  if (verdict === 'not_run') return <>{value(whyNot(check))}</>
  if (verdict === 'observed') return <>{value(actual)}</>
  if (verdict === 'inconclusive')
    return (
      <>
        {value(seenAndWhy(check))}
        <br />
        <b>To do:</b> {todoOf(check, exchange)}
        {expected !== '' && <small>expected {value(expected)}</small>}
      </>
    )
  return (
    <>
      expected {value(expected)}; got {value(actual)}
      {note !== undefined && <small>{value(note)}</small>}
    </>
  )
}

export function ExchangeLink({ facts, check: { exchange } }: { facts: PageFacts; check: CheckResult }) {
  if (exchange === null) return null
  return (
    <span class="soft">
      {' ('}
      <Link facts={facts} to="exchange" id={exchange} />)
    </span>
  )
}

/** What the twin got; the exchanges it names are links where the page shows them. */
export function TwinText({ facts, text, twin }: { facts: PageFacts; text: string; twin: string | undefined }) {
  const ids = [...new Set(exchangesIn(twin))].filter((id) => anchorOf(facts, 'exchange', id) !== undefined)
  return (
    <>
      {value(text)}
      {ids.map((id) => (
        <span key={id}>
          {' ('}
          <Link facts={facts} to="exchange" id={id}>{`transcript of ${id}`}</Link>)
        </span>
      ))}
    </>
  )
}

/** The status of an answer, or how the connection broke. */
export function Status({ exchange: { status, broken } }: { exchange: RedactedExchange }) {
  if (status === null) return <span class="mark doubt">{shorten(broken ?? 'broken', 60)}</span>
  return <span class="status">{status}</span>
}
