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
export function keptExchanges(run: RunResult): RedactedExchange[] {
  const wanted = [
    ...new Set([...decisive(run), ...aroundFailures(run), ...named(run.scenarios.flatMap(({ checks }) => checks))]),
  ]
  const first = new Set(withinLimit(wanted.slice(0, MAX_EXCHANGES), run))
  return run.exchanges.filter(({ id }) => first.has(id))
}

/** The first of them, up to the one that would make the page too large. */
function withinLimit(ids: readonly string[], run: RunResult): string[] {
  const exchanges = new Map(run.exchanges.map((exchange) => [exchange.id, exchange]))
  let characters = 0
  return ids.filter((id) => {
    characters += shownCharacters(exchanges.get(id))
    return characters <= MAX_CHARACTERS
  })
}

function shownCharacters(exchange: RedactedExchange | undefined): number {
  if (!exchange) return 0
  const { requestHeaders, responseHeaders, requestBody, responseBody } = exchange
  const headers = [...requestHeaders.slice(0, MAX_HEADERS), ...responseHeaders.slice(0, MAX_HEADERS)].flat()
  const bodies = [requestBody, responseBody].map(({ length }) => Math.min(length, MAX_BODY_CHARACTERS))
  const lengths = [...bodies, ...headers.map(({ length }) => Math.min(length, MAX_HEADER_CHARACTERS))]
  return lengths.reduce((sum, length) => sum + length, 0)
}

/** What checks that are not green name, their twins with them. */
function decisive(run: RunResult): string[] {
  const red = run.scenarios.flatMap(({ checks }) => checks.filter(isRed))
  const known = new Set(run.exchanges.map(({ id }) => id))
  return [...named(red), ...red.flatMap(twinExchanges).filter((id) => known.has(id))]
}

function aroundFailures(run: RunResult): string[] {
  const red = new Set(run.scenarios.filter(({ checks }) => checks.some(isRed)).map(({ id }) => id))
  const around = run.exchanges.filter(({ scenario }) => red.has(scenario))
  const first = [...grouped(around, ({ scenario }) => scenario).values()].map((own) => own.slice(0, MAX_OF_A_SCENARIO))
  const kept = new Set(first.flat())
  return around.filter((exchange) => kept.has(exchange)).map(({ id }) => id)
}

function named(checks: readonly CheckResult[]): string[] {
  return checks.flatMap(({ exchange }) => exchange ?? [])
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
