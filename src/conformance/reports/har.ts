import type { CheckResult, RedactedExchange, RunResult } from '../result/result.ts'
import { escapeLine, jsonText } from './escape.ts'
import type { Reporter } from './reporter.ts'

/**
 * HTTP Archive 1.2, for browsers' network panels and proxies. What has no place in the format stands in members that begin with
 * an underscore, as it asks for: the scenario, the checks that an exchange decided and their requirements, what was signed.
 */
export const har: Reporter = {
  wants: 'every-exchange',
  render: (result) => `${jsonText(harOf(result))}\n`,
}

/** The archive of a run. Secrets and signatures were taken out before; bodies may have been cut, which `comment` says. */
export function harOf(run: RunResult) {
  const checks = checksByExchange(run)
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

interface NamedCheck extends CheckResult {
  scenario: string
}

function checksByExchange({ scenarios }: RunResult): Map<string, NamedCheck[]> {
  const byExchange = new Map<string, NamedCheck[]>()
  for (const { id, checks } of scenarios) {
    for (const check of checks) {
      if (check.exchange === null) continue
      const own = byExchange.get(check.exchange)
      if (own) own.push({ ...check, scenario: id })
      else byExchange.set(check.exchange, [{ ...check, scenario: id }])
    }
  }
  return byExchange
}

function entryOf(run: RunResult, exchange: RedactedExchange, checks: readonly NamedCheck[]) {
  const comment = commentOf(exchange)
  return {
    startedDateTime: exchange.sentAt,
    time: exchange.tookMs,
    request: requestOf(run, exchange),
    response: responseOf(exchange),
    cache: {},
    // The runner measures from the first byte written to the last one read, and does not part that further.
    timings: { send: 0, wait: exchange.tookMs, receive: 0 },
    ...(comment === '' ? {} : { comment }),
    _exchange: exchange.id,
    _scenario: exchange.scenario,
    _speaker: exchange.speaker ?? 'runner',
    _canonicalString: exchange.canonicalString,
    _requirement: [...new Set(checks.map(({ requirement }) => requirement))],
    _checks: checks.map(checkOf),
  }
}

function checkOf({ scenario, step, requirement, verdict, expected, actual, known }: NamedCheck) {
  return { scenario, step, requirement, verdict, expected, actual, ...(known === undefined ? {} : { known }) }
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
  return (origin ?? (URL.canParse(targetUrl) ? new URL(targetUrl).origin : targetUrl)) + target
}

function pairs(headers: RedactedExchange['requestHeaders']) {
  return headers.map(([name, value]) => ({ name, value }))
}

function headerOf(headers: RedactedExchange['requestHeaders'], name: string): string | undefined {
  return headers.find(([key]) => key.toLowerCase() === name)?.[1]
}

/** Names and values as they stand in the request, not decoded: how they were written is often the point. */
function queryOf(target: string) {
  const at = target.indexOf('?')
  if (at < 0) return []
  return target
    .slice(at + 1)
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [name = '', ...value] = pair.split('=')
      return { name, value: value.join('=') }
    })
}

/** What went over the wire, if the other side said so; a body that was cut here is longer than its text. */
function sizeOf(body: string, headers: RedactedExchange['requestHeaders']): number {
  const said = headerOf(headers, 'content-length')
  return said !== undefined && /^\d{1,15}$/.test(said) ? Number(said) : Buffer.byteLength(body)
}
