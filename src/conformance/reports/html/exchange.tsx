import type { RedactedExchange } from '../../result/result.ts'
import { shorten } from '../escape.ts'
import { anchorOf, type PageFacts } from './page-facts.ts'
import { Instant } from './parts.tsx'
import { duration, indented, MAX_BODY_CHARACTERS, MAX_HEADER_CHARACTERS, MAX_HEADERS } from './texts.ts'

const MAX_TARGET_CHARACTERS = 300

/** One exchange, folded: what was sent and answered, without secrets. */
export function Exchange({ facts, exchange }: { facts: PageFacts; exchange: RedactedExchange }) {
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

export function Status({ exchange: { status, broken } }: { exchange: RedactedExchange }) {
  if (status === null) return <span class="mark doubt">{shorten(broken ?? 'broken', 60)}</span>
  return <span class="status">{status}</span>
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
