import { EXCHANGE_ID } from '../../http/exchange.ts'
import type { CheckResult, RedactedExchange, RunResult } from '../../result/result.ts'
import { grouped } from '../grouped.ts'
import { MAX_BODY_CHARACTERS, MAX_HEADER_CHARACTERS, MAX_HEADERS } from './texts.ts'

/** More than these make a page slow to open. */
const MAX_EXCHANGES = 1_200

/** Of their headers and bodies together. */
const MAX_CHARACTERS = 6_000_000

/** Of one scenario that is not green; those that its checks name are always among them. */
const MAX_OF_A_SCENARIO = 60

/**
 * The exchanges that the page shows, in the order they were sent: of scenarios that are not green all, of green ones those
 * that checks name. Where that is too many, those that decided something come before those that did not.
 */
export function keptExchanges({ scenarios, exchanges }: RunResult): RedactedExchange[] {
  const checks = scenarios.flatMap((scenario) => scenario.checks)
  const red = scenarios.filter((scenario) => scenario.checks.some(isRed)).map(({ id }) => id)
  const calls = grouped(exchanges, ({ scenario }) => scenario)
  const wanted = [
    ...checks.filter(isRed).flatMap((check) => [check.exchange ?? '', ...twinExchanges(check)]),
    ...red.flatMap((id) => (calls.get(id) ?? []).slice(0, MAX_OF_A_SCENARIO).map((exchange) => exchange.id)),
    ...checks.map(({ exchange }) => exchange ?? ''),
  ]
  const byId = new Map(exchanges.map((exchange) => [exchange.id, exchange]))
  let characters = 0
  const kept = [...new Set(wanted)]
    .flatMap((id) => byId.get(id) ?? [])
    .slice(0, MAX_EXCHANGES)
    .filter((exchange) => {
      characters += shownCharacters(exchange)
      return characters <= MAX_CHARACTERS
    })
  const ids = new Set(kept)
  return exchanges.filter((exchange) => ids.has(exchange))
}

function shownCharacters({ requestHeaders, responseHeaders, requestBody, responseBody }: RedactedExchange): number {
  const headers = [...requestHeaders.slice(0, MAX_HEADERS), ...responseHeaders.slice(0, MAX_HEADERS)].flat()
  const bodies = [requestBody, responseBody].map(({ length }) => Math.min(length, MAX_BODY_CHARACTERS))
  const lengths = [...bodies, ...headers.map(({ length }) => Math.min(length, MAX_HEADER_CHARACTERS))]
  return lengths.reduce((sum, length) => sum + length, 0)
}

function isRed({ verdict }: CheckResult): boolean {
  return verdict === 'fail' || verdict === 'inconclusive' || verdict === 'harness_error' || verdict === 'drift'
}

/**
 * Ids that what is said of a twin may name.
 *
 * @example twinExchanges({ ...check, twin: 'a valid call was accepted in ce2' }) // [..., 'ce2']
 */
export function twinExchanges({ twin = '' }: Pick<CheckResult, 'twin'>): string[] {
  return twin.match(EXCHANGE_ID) ?? []
}
