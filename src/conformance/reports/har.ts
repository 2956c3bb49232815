import { headerIn } from '../../contract/headers.ts'
import { grouped } from '../../contract/words.ts'
import type { RedactedExchange, RunResult } from '../result/result.ts'
import type { ReportedCheck } from './causes.ts'
import { escapeLine, jsonText } from './escape.ts'
import { originOf } from './exchange.ts'
import type { Reporter } from './report-model.ts'

/**
 * Every exchange of a run as HTTP Archive 1.2. Members of ours have the scenario, the checks that an exchange decided and
 * their requirements, and what was signed. Secrets and signatures were taken out before; bodies may have been cut.
 */
export const har: Reporter = {
  wants: 'every-exchange',
  render({ run, checks: all }) {
    const checks = grouped(all, ({ check }) => check.exchange ?? '')
    const comment = `${run.verdict}: ${escapeLine(run.target.url)}; run ${run.identity.runId}; secrets and signatures taken out`
    const entries = run.exchanges.map((exchange) => entryOf(run, exchange, checks.get(exchange.id) ?? []))
    return archiveText({ name: run.tool.name, version: run.tool.version }, comment, entries)
  },
}

/** An exchange of a run, as its archive has it. */
export type RunEntry = ReturnType<typeof entryOf>

function entryOf({ target }: RunResult, exchange: RedactedExchange, checks: readonly ReportedCheck[]) {
  const { id, scenario, speaker, status, broken, sentAt } = exchange
  const failure = status === null ? (broken ?? 'no answer') : ''
  const delivery = speaker === 'target' ? 'a delivery: the target asked and the runner answered' : ''
  const comment = [delivery, failure].filter((text) => text !== '').join('; ')
  const { response, ...entry } = archiveEntry({
    ...exchange,
    startedAt: sentAt,
    url: absoluteUrl(exchange, target.url),
    comment,
  })
  return {
    ...entry,
    response: { ...response, ...(failure !== '' && { _error: failure }) },
    _exchange: id,
    _scenario: scenario,
    _speaker: speaker ?? 'runner',
    _canonicalString: exchange.canonicalString,
    _requirement: [...new Set(checks.map(({ check }) => check.requirement))],
    _checks: checks.map(({ scenario: of, check }) => {
      const { step, requirement, verdict, expected, actual, known } = check
      return { scenario: of.id, step, requirement, verdict, expected, actual, known }
    }),
  }
}

/** The origin of a delivery is the receiver that it came to. */
function absoluteUrl({ origin, target, requestHeaders, speaker }: RedactedExchange, targetUrl: string): string {
  if (target.includes('://')) return target
  const host = speaker === 'target' ? headerIn(requestHeaders, 'host') : undefined
  if (host !== undefined) return `http://${host}${target}`
  return (origin ?? originOf(targetUrl)) + target
}

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
  const type = (headers: Headers, none: string) => headerIn(headers, 'content-type') ?? none
  const message = (headers: Headers, bodySize: number) => ({
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headersSize: -1,
    bodySize,
    headers: headers.map(([name, value]) => ({ name, value })),
  })
  return {
    startedDateTime: call.startedAt,
    time: tookMs,
    request: {
      method: call.method,
      url,
      ...message(requestHeaders, sizeOf(requestBody, requestHeaders)),
      queryString: queryOf(url),
      ...(requestBody !== '' && { postData: { mimeType: type(requestHeaders, ''), params: [], text: requestBody } }),
    },
    response: {
      status: status ?? 0,
      statusText: '',
      ...message(responseHeaders, status === null ? -1 : sizeOf(responseBody, responseHeaders)),
      content: {
        size: Buffer.byteLength(responseBody),
        mimeType: type(responseHeaders, 'x-unknown'),
        text: responseBody,
      },
      redirectURL: headerIn(responseHeaders, 'location') ?? '',
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
  const said = headerIn(headers, 'content-length')
  return said !== undefined && /^\d{1,15}$/.test(said) ? Number(said) : Buffer.byteLength(body)
}
