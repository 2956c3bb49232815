import type { RedactedExchange } from '../../result/result.ts'
import type { ReportedCheck } from '../causes.ts'
import { shorten } from '../escape.ts'
import { OUTCOMES } from '../report-model.ts'
import { anchorOf, type Mark, type PageFacts } from './page-facts.ts'
import {
  CheckFacts,
  classOf,
  ExchangeLink,
  FILTERS,
  Heads,
  Instant,
  kindOf,
  Link,
  MarkOf,
  markOfCheck,
  Status,
} from './parts.tsx'
import {
  capital,
  countOf,
  duration,
  indented,
  MAX_BODY_CHARACTERS,
  MAX_HEADER_CHARACTERS,
  MAX_HEADERS,
  withCommas,
} from './texts.ts'

/** So many cards that are not green are unfolded from the start. */
const OPEN_CARDS = 25

/** The groups in the order of the page, and which are unfolded from the start. */
const GROUPS: readonly (readonly [mark: Mark, isOpen: boolean])[] = [
  ['failed', true],
  ['inconclusive', true],
  ['known failure', true],
  ['not run', false],
  ['passed', false],
  ['observed', false],
]

/** A card for each scenario, those that failed first. */
export function Cards({ facts }: { facts: PageFacts }) {
  const chosen = facts.cards.filter((card) => !isLeftOut(card))
  const group = (id: string, title: string, cards: PageFacts['cards'], isOpen: boolean) =>
    cards.length > 0 && (
      <details key={id} class="group" id={id} open={isOpen}>
        <summary>
          <h3>{title}</h3> <span class="soft">{withCommas(cards.length)}</span>
        </summary>
        {cards.map((card, at) => (
          <CardOf key={card.id} facts={facts} card={card} isOpen={isOpen && at < OPEN_CARDS} />
        ))}
      </details>
    )
  return (
    <>
      <Controls cards={facts.cards} />
      {GROUPS.map(([mark, isOpen]) =>
        group(
          classOf(mark),
          capital(mark),
          chosen.filter((card) => markOf(card) === mark),
          isOpen,
        ),
      )}
      {group('left-out', 'Left out by the selection', facts.cards.filter(isLeftOut), false)}
      <RunnersOwn facts={facts} />
      <p class="soft">{transcriptNote(facts)}</p>
    </>
  )
}

function isLeftOut({ checks }: PageFacts['cards'][number]): boolean {
  return checks.length > 0 && checks.every(({ check }) => check.reason === 'filtered')
}

/** The worst mark of its checks. A known failure counts only if there is no other. */
function markOf({ checks }: PageFacts['cards'][number]): Mark {
  const marks = checks.map(({ check }) => markOfCheck(check))
  const [failed, inconclusive, ...others] = OUTCOMES
  return (
    [failed, inconclusive, 'known failure' as const, ...others].find((mark) => marks.includes(mark)) ?? 'inconclusive'
  )
}

/** Choices that the style sheet looks at, so that no script is needed, and a search, which needs one. */
function Controls({ cards }: { cards: PageFacts['cards'] }) {
  const kinds = cards.map((card) => kindOf(markOf(card)))
  const choices = FILTERS.map((kind) => [kind, kinds.filter((one) => one === classOf(kind)).length] as const)
  return (
    <div class="controls">
      <fieldset class="filters">
        <legend class="unseen">Show scenarios and requirements</legend>
        {[['all', kinds.length] as const, ...choices.filter(([, count]) => count > 0)].map(([kind, count]) => (
          <span key={kind}>
            <input type="radio" name="kind" id={`f-${kind.replace(' ', '-')}`} checked={kind === 'all'} />
            <label for={`f-${kind.replace(' ', '-')}`}>
              {capital(kind)} <b>{withCommas(count)}</b>
            </label>
          </span>
        ))}
      </fieldset>
      <p class="search" hidden>
        <label for="search">Search</label> <input type="search" id="search" placeholder="id, text, answer" />
      </p>
      <output id="found" for="search" />
    </div>
  )
}

function CardOf({ facts, card, isOpen }: { facts: PageFacts; card: PageFacts['cards'][number]; isOpen: boolean }) {
  const { id, title, checks, durationMs } = card
  const mark = markOf(card)
  const ran = checks.some(({ check }) => check.verdict !== 'not_run')
  const scenarios = new Set([id, ...checks.map(({ scenario }) => scenario.id)])
  const exchanges = [...scenarios].flatMap((one) => facts.keptByScenario.get(one) ?? [])
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
      <div class="inside">
        <table class="steps">
          <Heads of={['Step', 'Requirement', 'Verdict', 'Outcome']} />
          <tbody>
            {checks.map((placed) => (
              <StepRow
                key={placed.scenario.id + placed.check.step + placed.check.requirement}
                facts={facts}
                card={id}
                placed={placed}
              />
            ))}
          </tbody>
        </table>
        {exchanges.length > 0 && (
          <details class="more">
            <summary>Transcript: {countOf(exchanges.length, 'exchange')}</summary>
            {exchanges.map((exchange) => (
              <Exchange key={exchange.id} facts={facts} exchange={exchange} />
            ))}
          </details>
        )}
      </div>
    </details>
  )
}

/** A step; of a scenario that runs over rows also its row. A failure is explained where its requirement is. */
function StepRow({ facts, card, placed }: { facts: PageFacts; card: string; placed: ReportedCheck }) {
  const { scenario, check } = placed
  return (
    <tr>
      <th scope="row">{`${scenario.id.slice(card.length)} ${check.step}`.trim()}</th>
      <td>
        <Link facts={facts} to={check.verdict === 'fail' ? 'failure' : 'requirement'} id={check.requirement} />
      </td>
      <td>
        <MarkOf what={markOfCheck(check)} />
      </td>
      <td>
        <CheckFacts placed={placed} />
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

const MAX_TARGET_CHARACTERS = 300

/** One exchange, folded: what was sent and answered, without secrets. */
function Exchange({ facts, exchange }: { facts: PageFacts; exchange: RedactedExchange }) {
  const { id, method, target, origin, sentAt, tookMs } = exchange
  const isDelivery = exchange.speaker === 'target'
  return (
    <details class="exchange" id={anchorOf(facts, 'exchange', id)}>
      <summary>
        <code class="xid">{id}</code> {isDelivery && <span class="mark info">delivery</span>}{' '}
        <code class="call">
          <b>{method}</b> {shorten(target, MAX_TARGET_CHARACTERS)}
        </code>{' '}
        <Status exchange={exchange} />
      </summary>
      <div class="wire">
        <p class="soft">
          {isDelivery ? 'Sent by the target, answered by the runner' : 'Sent'} <Instant iso={sentAt} />
          {origin !== undefined && ` to ${origin}`}; {duration(tookMs)}
        </p>
        <Message
          name="Request"
          first={`${method} ${target}`}
          headers={exchange.requestHeaders}
          body={exchange.requestBody}
        />
        <CanonicalLines exchange={exchange} />
        <Answer exchange={exchange} name={isDelivery ? 'Our answer' : 'Answer'} />
      </div>
    </details>
  )
}

function CanonicalLines({ exchange: { canonicalString } }: { exchange: RedactedExchange }) {
  if (canonicalString === null) return null
  return (
    <>
      <h4>Signed</h4>
      <pre>{shorten(canonicalString, MAX_BODY_CHARACTERS)}</pre>
    </>
  )
}

function Answer({ exchange, name }: { exchange: RedactedExchange; name: string }) {
  const { status, broken, responseHeaders, responseBody } = exchange
  if (status !== null)
    return <Message name={name} first={`${status}`} headers={responseHeaders} body={indented(responseBody)} />
  return (
    <>
      <h4>{exchange.speaker === 'target' ? 'Not answered' : 'No answer'}</h4>
      <p>{shorten(broken ?? 'The connection broke.', MAX_HEADER_CHARACTERS)}</p>
    </>
  )
}

interface MessageProps {
  name: string
  first: string
  headers: RedactedExchange['requestHeaders']
  body: string
}

function Message({ name, first, headers, body }: MessageProps) {
  const left = headers.length - MAX_HEADERS
  return (
    <>
      <h4>{name}</h4>
      <pre>
        <b>{shorten(first, MAX_BODY_CHARACTERS)}</b>
        {headers
          .slice(0, MAX_HEADERS)
          .map(([header, text]) => [
            '\n',
            <i key={header}>{shorten(header, MAX_HEADER_CHARACTERS)}:</i>,
            ` ${shorten(text, MAX_HEADER_CHARACTERS)}`,
          ])}
        {left > 0 && `\n… (${left} more headers)`}
        {body !== '' && `\n\n${shorten(body, MAX_BODY_CHARACTERS)}`}
      </pre>
    </>
  )
}
