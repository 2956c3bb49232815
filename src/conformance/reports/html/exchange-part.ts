import type { RedactedExchange } from '../../result/result.ts'
import { shorten } from '../escape.ts'
import { duration, html, instant, type Markup } from './markup.ts'
import { anchorOf, type PageFacts } from './page-facts.ts'

/** Longer bodies are cut, and the page says so; the log of the run has more of them. */
export const MAX_BODY_CHARACTERS = 2_000
const MAX_HEADER_CHARACTERS = 400
const MAX_HEADERS = 60
const MAX_TARGET_CHARACTERS = 300

/** One exchange, folded: what went over the wire, secrets taken out. */
export function exchangePart(facts: PageFacts, exchange: RedactedExchange): Markup {
  const isDelivery = exchange.speaker === 'target'
  return html`<details class="exchange" id="${anchorOf(facts, 'exchange', exchange.id)}">
<summary><code class="xid">${exchange.id}</code> ${isDelivery && html`<span class="mark info">delivery</span> `}<code class="call"><b>${exchange.method}</b> ${shorten(exchange.target, MAX_TARGET_CHARACTERS)}</code> ${answerMark(exchange)}</summary>
<div class="wire">
<p class="soft">${isDelivery ? 'Sent by the target, answered by the runner' : 'Sent'} ${instant(exchange.sentAt)}${
    exchange.origin !== undefined && html` to <code>${exchange.origin}</code>`
  }; ${duration(exchange.tookMs)}</p>
${message('Request', `${exchange.method} ${exchange.target}`, exchange.requestHeaders, exchange.requestBody)}
${exchange.canonicalString !== null && html`<h5>Signed</h5><pre>${exchange.canonicalString}</pre>`}
${
  exchange.status === null
    ? html`<h5>${isDelivery ? 'Not answered' : 'No answer'}</h5><p>${exchange.broken ?? 'The connection broke.'}</p>`
    : message(
        isDelivery ? 'Our answer' : 'Answer',
        `${exchange.status}`,
        exchange.responseHeaders,
        exchange.responseBody,
      )
}
</div></details>
`
}

function answerMark({ status, broken }: RedactedExchange): Markup {
  if (status === null) return html`<span class="mark doubt">${shorten(broken ?? 'broken', 60)}</span>`
  return html`<span class="status">${status}</span>`
}

function message(name: string, first: string, headers: RedactedExchange['requestHeaders'], body: string): Markup {
  const lines = headers
    .slice(0, MAX_HEADERS)
    .map(([key, value]) => html`\n<i>${key}:</i> ${shorten(value, MAX_HEADER_CHARACTERS)}`)
  const left = headers.length - MAX_HEADERS
  return html`<h5>${name}</h5><pre><b>${first}</b>${lines}${left > 0 && `\n… (${left} more headers)`}${
    body !== '' && html`\n\n${shorten(body, MAX_BODY_CHARACTERS)}`
  }</pre>`
}
