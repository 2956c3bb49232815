import type { RedactedExchange } from '../result/result.ts'
import { jsonText } from './escape.ts'
import { headerOf } from './exchange.ts'

type Headers = RedactedExchange['requestHeaders']

/** A call for an HTTP archive. */
interface ArchivedCall {
  readonly startedAt: string
  readonly tookMs: number
  readonly method: string
  readonly url: string
  readonly requestHeaders: Headers
  readonly requestBody: string
  /** Null without an answer. */
  readonly status: number | null
  readonly responseHeaders: Headers
  readonly responseBody: string
  readonly comment: string
}

/**
 * HTTP Archive 1.2, for browsers' network panels and proxies.
 *
 * @param entries calls by `archiveEntry`; members of ours begin with an underscore, as the format asks.
 */
export function archiveText(creator: { name: string; version: string }, comment: string, entries: readonly object[]) {
  return `${jsonText({ log: { version: '1.2', creator, pages: [], entries, comment } })}\n`
}

export function archiveEntry(call: ArchivedCall) {
  const { url, tookMs, status, requestBody, requestHeaders, responseBody, responseHeaders } = call
  const type = (headers: Headers, none: string) => headerOf(headers, 'content-type') ?? none
  const message = (headers: Headers, bodySize: number) => ({
    ...{ httpVersion: 'HTTP/1.1', cookies: [], headersSize: -1, bodySize },
    headers: headers.map(([name, value]) => ({ name, value })),
  })
  return {
    startedDateTime: call.startedAt,
    time: tookMs,
    request: {
      ...{ method: call.method, url, ...message(requestHeaders, sizeOf(requestBody, requestHeaders)) },
      queryString: queryOf(url),
      ...(requestBody !== '' && { postData: { mimeType: type(requestHeaders, ''), params: [], text: requestBody } }),
    },
    response: {
      ...{ status: status ?? 0, statusText: '' },
      ...message(responseHeaders, status === null ? -1 : sizeOf(responseBody, responseHeaders)),
      content: {
        size: Buffer.byteLength(responseBody),
        mimeType: type(responseHeaders, 'x-unknown'),
        text: responseBody,
      },
      redirectURL: headerOf(responseHeaders, 'location') ?? '',
    },
    cache: {},
    // What is measured is the time from the first byte written to the last one read.
    timings: { send: 0, wait: tookMs, receive: 0 },
    ...(call.comment !== '' && { comment: call.comment }),
  }
}

/** Names and values as they stand in the request, not decoded: how they were written is often the point. */
function queryOf(url: string) {
  const [, ...query] = url.split('?')
  return (query.join('?').match(/[^&]+/g) ?? []).map((pair) => {
    const [name = '', ...value] = pair.split('=')
    return { name, value: value.join('=') }
  })
}

/** What went over the wire, if the other side said so; a body that was cut here is longer than its text. */
function sizeOf(body: string, headers: Headers): number {
  const said = headerOf(headers, 'content-length')
  return said !== undefined && /^\d{1,15}$/.test(said) ? Number(said) : Buffer.byteLength(body)
}
