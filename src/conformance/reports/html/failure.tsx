import type { ComponentChildren } from 'preact'
import { HEADERS } from '../../../contract/headers.ts'
import type { RedactedExchange } from '../../result/result.ts'
import type { CheckInContext } from '../digest.ts'
import { shorten } from '../escape.ts'
import { canonicalLines, headerOf, isDelivery } from '../exchange.ts'
import { reproductionOf } from '../reproduce.ts'
import { Status } from './exchange.tsx'
import type { PageFacts } from './page-facts.ts'
import { Copyable, Link, TwinText } from './parts.tsx'
import { duration, indented, MAX_BODY_CHARACTERS, value } from './texts.ts'
import { MarkOf, markOfCheck } from './words.tsx'

interface FailureProps {
  facts: PageFacts
  placed: CheckInContext
  /** Failures above on the same card: what they show is not shown again. */
  before: readonly CheckInContext[]
}

/** One failed check. The order of its rows is promised (design: a failure reads, in this order). */
export function Failure({ facts, placed, before }: FailureProps) {
  const { check, requirement } = placed
  const isSameCall = placed.exchange !== undefined && before.some((other) => other.check.exchange === check.exchange)
  const isSameRule = before.some((other) => other.check.requirement === check.requirement)
  const exchange = isSameCall ? undefined : placed.exchange
  return (
    <section class="failure">
      <h4>
        <MarkOf what={markOfCheck(check)} /> <Link facts={facts} to="requirement" id={check.requirement} />{' '}
        {isSameRule ? '' : requirement?.text}
      </h4>
      <p class="soft">
        {requirement &&
          requirement.section !== '' &&
          !isSameRule &&
          `In the document under “${requirement.section}” · `}
        step {check.step}
      </p>
      <dl>
        {check.known && <Row name="Known">{`${value(check.known.reason)} (until ${check.known.until})`}</Row>}
        <Row name="Expected">{value(check.expected)}</Row>
        <Row name="Actual" kind="actual">
          {value(check.actual)}
        </Row>
        {exchange && <CallRows exchange={exchange} />}
        {check.twin !== undefined && (
          <Row name="Twin">
            <TwinText facts={facts} twin={check.twin} />
          </Row>
        )}
        {check.note !== undefined && (
          <Row name="Likely cause" kind="cause">
            {value(check.note)}
          </Row>
        )}
        <ReproduceRow facts={facts} placed={placed} exchange={exchange} isFirst={before.length === 0} />
        {placed.exchange && (
          <Row name="Transcript">
            <Link facts={facts} to="exchange" id={placed.exchange.id}>{`exchange ${placed.exchange.id}`}</Link>
            {isSameCall && ', the same call as above'}
          </Row>
        )}
      </dl>
    </section>
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
function CallRows({ exchange }: { exchange: RedactedExchange }) {
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
        <AnswerBody exchange={exchange} />
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

function AnswerBody({ exchange }: { exchange: RedactedExchange }) {
  const requestId = headerOf(exchange.responseHeaders, HEADERS.requestId)
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
      {exchange.responseBody !== '' && <pre>{shorten(indented(exchange.responseBody), MAX_BODY_CHARACTERS)}</pre>}
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
      {` ${value(headerOf(requestHeaders, HEADERS.signature) ?? 'none')}\n\n${value(requestBody)}`}
    </pre>
  )
}

interface ReproduceProps extends Omit<FailureProps, 'before'> {
  exchange: RedactedExchange | undefined
  isFirst: boolean
}

/** How to send the call again; below the first failure also how to run its scenario again. */
function ReproduceRow({ facts: { run, options }, placed: { scenario }, exchange, isFirst }: ReproduceProps) {
  const { call, note, again } = reproductionOf(exchange, { scenario: scenario.id, url: run.target.url }, options)
  if (call === null && note === null && !isFirst) return null
  return (
    <Row name="Reproduce">
      {call !== null && <Copyable what="the call" text={call} />}
      {note !== null && <p class="soft">By hand: {note}</p>}
      {isFirst && <Copyable what="the run of this scenario" text={again} />}
    </Row>
  )
}
