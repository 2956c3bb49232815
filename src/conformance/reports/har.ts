import type { RedactedExchange, RunResult } from '../result/result.ts'
import { escapeLine, jsonText } from './escape.ts'
import { headerOf, originOf } from './exchange.ts'
import { grouped } from './grouped.ts'
import type { ReportedCheck, ReportModel } from './report-model.ts'
import type { Reporter } from './reporter.ts'

/**
 * HTTP Archive 1.2, for browsers' network panels and proxies. What has no place in the format is in members that begin with
 * an underscore, as it asks for: the scenario, the checks that an exchange decided and their requirements, what was signed.
 */
export const har: Reporter = {
  wants: 'every-exchange',
  render: (model) => `${jsonText(harOf(model))}\n`,
}

/** The archive of a run. Secrets and signatures were taken out before; bodies may have been cut, which `comment` says. */
export function harOf({ run, checks: all }: ReportModel) {
  const checks = grouped(all, ({ check }) => check.exchange ?? '')
  return {
    log: {
      version: '1.2',
      creator: { name: run.tool.name, version: run.tool.version },
      pages: [],
      entries: run.exchanges.map((exchange) => entryOf(run, exchange, checks.get(exchange.id) ?? [])),
      comment: `${run.verdict}: ${escapeLine(run.target.url)}; run ${run.identity.runId}; secrets and signatures taken out`,
    },
  }
}

function entryOf(run: RunResult, exchange: RedactedExchange, checks: readonly ReportedCheck[]) {
  return {
    startedDateTime: exchange.sentAt,
    time: exchange.tookMs,
    request: requestOf(run, exchange),
    response: responseOf(exchange),
    cache: {},
    // The runner measures from the first byte written to the last one read, and does not part that further.
    timings: { send: 0, wait: exchange.tookMs, receive: 0 },
    comment: commentOf(exchange) || undefined,
    _exchange: exchange.id,
    _scenario: exchange.scenario,
    _speaker: exchange.speaker ?? 'runner',
    _canonicalString: exchange.canonicalString,
    _requirement: [...new Set(checks.map(({ check }) => check.requirement))],
    _checks: checks.map(checkOf),
  }
}

function checkOf({ scenario, check }: ReportedCheck) {
  const { step, requirement, verdict, expected, actual, known } = check
  return { scenario: scenario.id, step, requirement, verdict, expected, actual, known }
}

function commentOf({ broken, speaker, status }: RedactedExchange): string {
  const delivery = speaker === 'target' ? 'a delivery: the target asked and the runner answered' : ''
  return [delivery, status === null ? (broken ?? 'no answer') : ''].filter((text) => text !== '').join('; ')
}

function requestOf({ target }: RunResult, exchange: RedactedExchange) {
  const url = absoluteUrl(exchange, target.url)
  const type = headerOf(exchange.requestHeaders, 'content-type') ?? ''
  return {
    method: exchange.method,
    url,
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: pairs(exchange.requestHeaders),
    queryString: queryOf(exchange.target),
    ...(exchange.requestBody === '' ? {} : { postData: { mimeType: type, params: [], text: exchange.requestBody } }),
    headersSize: -1,
    bodySize: sizeOf(exchange.requestBody, exchange.requestHeaders),
  }
}

function responseOf(exchange: RedactedExchange) {
  const { responseBody, responseHeaders } = exchange
  return {
    status: exchange.status ?? 0,
    statusText: '',
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: pairs(responseHeaders),
    content: {
      size: Buffer.byteLength(responseBody),
      mimeType: headerOf(responseHeaders, 'content-type') ?? 'x-unknown',
      text: responseBody,
    },
    redirectURL: headerOf(responseHeaders, 'location') ?? '',
    headersSize: -1,
    bodySize: exchange.status === null ? -1 : sizeOf(responseBody, responseHeaders),
    ...(exchange.status === null ? { _error: exchange.broken ?? 'no answer' } : {}),
  }
}

/** The origin of a delivery is the receiver that it came to. */
function absoluteUrl({ origin, target, requestHeaders, speaker }: RedactedExchange, targetUrl: string): string {
  if (target.includes('://')) return target
  const host = speaker === 'target' ? headerOf(requestHeaders, 'host') : undefined
  if (host !== undefined) return `http://${host}${target}`
  return (origin ?? originOf(targetUrl)) + target
}

function pairs(headers: RedactedExchange['requestHeaders']) {
  return headers.map(([name, value]) => ({ name, value }))
}

/** Names and values as they stand in the request, not decoded: how they were written is often the point. */
function queryOf(target: string) {
  const query = target.split('?').slice(1).join('?')
  return (query.match(/[^&]+/g) ?? []).map((pair) => {
    const [name = '', ...value] = pair.split('=')
    return { name, value: value.join('=') }
  })
}

/** What went over the wire, if the other side said so; a body that was cut here is longer than its text. */
function sizeOf(body: string, headers: RedactedExchange['requestHeaders']): number {
  const said = headerOf(headers, 'content-length')
  return said !== undefined && /^\d{1,15}$/.test(said) ? Number(said) : Buffer.byteLength(body)
}
