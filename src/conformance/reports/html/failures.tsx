import type { ComponentChildren } from 'preact'
import { HEADERS, headerIn } from '../../../contract/headers.ts'
import { grouped } from '../../../contract/words.ts'
import type { RedactedExchange } from '../../result/result.ts'
import type { CheckGroup, ReportedCheck } from '../causes.ts'
import { shorten } from '../escape.ts'
import { canonicalLines, isDelivery } from '../exchange.ts'
import { failureFacts, followText } from '../failure-facts.ts'
import { knownText } from '../not-verified.ts'
import { type ReportModel, scenariosOf } from '../report-model.ts'
import { aroundItem } from './item-of-body.ts'
import { anchorOf, type PageFacts } from './page-facts.ts'
import { Copyable, Link, MarkOf, markOfCheck, Status, TwinText } from './parts.tsx'
import { capital, countOf, duration, indented, MAX_BODY_CHARACTERS, value } from './texts.ts'

/** So many requirements are unfolded from the start. */
const OPEN_REQUIREMENTS = 25
const PLACES_SHOWN = 12

/** Each requirement that failed, with each way in which it did. */
export function Failures({ facts }: { facts: PageFacts }) {
  return (
    <>
      {[...facts.failed, ...facts.known].map((failed, at) => (
        <Failed key={failed.id} facts={facts} failed={failed} isOpen={at < OPEN_REQUIREMENTS} />
      ))}
    </>
  )
}

function Failed({
  facts,
  failed,
  isOpen,
}: {
  facts: PageFacts
  failed: ReportModel['failed'][number]
  isOpen: boolean
}) {
  const { id, requirement, checks, causes } = failed
  const isFirst = facts.failed.includes(failed) || facts.failed.every((one) => one.id !== id)
  const [first] = checks as [ReportedCheck]
  return (
    <details class="failing" id={isFirst ? anchorOf(facts, 'failure', id) : undefined} open={isOpen}>
      <summary>
        <MarkOf what={markOfCheck(first.check)} />{' '}
        <span class="name">
          <b>{id}</b> {requirement?.text}
        </span>{' '}
        <span class="soft">{countOf(checks.length, 'check')}</span>
      </summary>
      <div class="inside">
        <p class="soft">
          {requirement && requirement.section !== '' && `In the document under “${requirement.section}” · `}
          <Link facts={facts} to="requirement" id={id}>
            all checks of this requirement
          </Link>
        </p>
        {causes.map((cause) => (
          <Cause key={cause.first.check.step} facts={facts} cause={cause} />
        ))}
      </div>
    </details>
  )
}

/** One way in which a requirement failed. The order of the rows is promised (design: a failure reads, in this order). */
function Cause({ facts, cause }: { facts: PageFacts; cause: CheckGroup }) {
  const { first, checks } = cause
  const { check } = first
  const follows = followText(cause)
  const before = facts.causes.slice(0, facts.causes.indexOf(cause))
  const isSameCall =
    first.exchange !== undefined && before.some((other) => other.first.check.exchange === check.exchange)
  const exchange = isSameCall ? undefined : first.exchange
  return (
    <section class="failure">
      <dl>
        <Row name={countOf(checks.length, 'check')}>
          <Places facts={facts} checks={checks} />
        </Row>
        {check.known && <Row name="Known">{value(knownText(check.known))}</Row>}
        {failureFacts(first, facts.run.target.url, facts.options, scenariosOf(checks)).map((fact) => [
          <FactRow key={fact.label} facts={facts} fact={fact} twin={check.twin} />,
          fact.label === 'actual' && exchange && <CallRows key="call" exchange={exchange} actual={check.actual} />,
        ])}
        {follows !== null && <Row name="Follows">{value(follows)}</Row>}
        {first.exchange && (
          <Row name="Transcript">
            <Link facts={facts} to="exchange" id={first.exchange.id}>{`exchange ${first.exchange.id}`}</Link>
            {isSameCall && ', the same call as above'}
          </Row>
        )}
      </dl>
    </section>
  )
}

/** What the page does not show in a way of its own: CallRows has all signed lines and the whole delivery. */
function FactRow({
  facts,
  fact: { label, text, isCommand },
  twin,
}: {
  facts: PageFacts
  fact: ReturnType<typeof failureFacts>[number]
  twin: string | undefined
}) {
  if (label === 'signed' || label === 'delivery') return null
  const what = label === 'or run' ? 'the run of this scenario' : 'the call'
  return (
    <Row name={capital(label)} kind={label.replaceAll(' ', '-')}>
      {isCommand ? (
        <Copyable what={what} text={text} />
      ) : label === 'valid call' ? (
        <TwinText facts={facts} text={text} twin={twin} />
      ) : (
        value(text)
      )}
    </Row>
  )
}

/** Where it was seen, each scenario with its steps. */
function Places({ facts, checks }: { facts: PageFacts; checks: readonly ReportedCheck[] }) {
  const places = [...grouped(checks, ({ scenario }) => scenario.id)]
  const left = places.length - PLACES_SHOWN
  return (
    <>
      {places.slice(0, PLACES_SHOWN).map(([id, own], at) => (
        <span key={id}>
          {at > 0 && '; '}
          <Link facts={facts} to="scenario" id={id} />
          {` › ${[...new Set(own.map(({ check }) => check.step))].join(', ')}`}
        </span>
      ))}
      {left > 0 && `; and ${countOf(left, 'more scenario')}`}
    </>
  )
}

function Row({ name, kind, children }: { name: string; kind?: string; children: ComponentChildren }) {
  return (
    <div {...(kind && { class: kind })}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** The answer, since it shows what is wrong; the signed lines are folded where they are what they should be. */
function CallRows({ exchange, actual }: { exchange: RedactedExchange; actual: string }) {
  if (isDelivery(exchange))
    return (
      <Row name="Delivery">
        <Delivery exchange={exchange} />
      </Row>
    )
  const lines = canonicalLines(exchange)
  return (
    <>
      <Row name="Answer">
        <AnswerBody exchange={exchange} actual={actual} />
      </Row>
      <Row name="Signed">
        {lines.length === 0 ? (
          'The runner did not sign this call.'
        ) : (
          <details class="more" open={lines.some(({ instead }) => instead !== null)}>
            <summary>The {lines.length} signed lines</summary>
            <SignedLines lines={lines} />
          </details>
        )}
      </Row>
    </>
  )
}

/** Of a list, the item that the check names, wherever in the answer it is. */
function AnswerBody({ exchange, actual }: { exchange: RedactedExchange; actual: string }) {
  const around = aroundItem(exchange.responseBody, actual)
  const requestId = headerIn(exchange.responseHeaders, HEADERS.requestId)
  return (
    <>
      <p>
        <Status exchange={exchange} /> <span class="soft">after {duration(exchange.tookMs)}, to</span>{' '}
        <code>{`${exchange.method} ${shorten(exchange.target, 300)}`}</code>
        {requestId !== undefined && (
          <>
            <br />
            <span class="soft">request id</span> <Copyable what="request id" text={shorten(requestId, 200)} short />
          </>
        )}
      </p>
      {around !== null ? (
        <pre>
          {around.before}
          <mark>{shorten(around.item, MAX_BODY_CHARACTERS)}</mark>
          {around.after}
        </pre>
      ) : (
        exchange.responseBody !== '' && <pre>{shorten(indented(exchange.responseBody), MAX_BODY_CHARACTERS)}</pre>
      )}
    </>
  )
}

function SignedLines({ lines }: { lines: ReturnType<typeof canonicalLines> }) {
  return (
    <ol class="canonical">
      {lines.map(({ text, instead }) => (
        <li key={text} {...(instead !== null && { class: 'differs' })}>
          <Line text={text} />
          {instead !== null && (
            <>
              {' '}
              <em>the first difference; this request needs</em> <Line text={instead} />
            </>
          )}
        </li>
      ))}
    </ol>
  )
}

function Line({ text }: { text: string }) {
  return <code>{text === '' ? <i>(empty line)</i> : value(text)}</code>
}

/** What a receiver has to go by. */
function Delivery({ exchange: { method, target, requestHeaders, requestBody } }: { exchange: RedactedExchange }) {
  return (
    <pre>
      {`${method} ${shorten(target, 300)}\n`}
      <i>{HEADERS.signature}:</i>
      {` ${value(headerIn(requestHeaders, HEADERS.signature) ?? 'none')}\n\n${value(requestBody)}`}
    </pre>
  )
}
