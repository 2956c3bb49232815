import { HEADERS } from '../../contract/headers.ts'
import { curlCommand, shellQuote } from '../../contract/shell-quote.ts'
import type { Signing } from '../log/lines.ts'
import type { RedactedExchange } from '../result/result.ts'
import { escapeLine } from './escape.ts'
import { headerOf, isDeliveryOfOurs, originOf, soundQuery } from './exchange.ts'
import type { RenderOptions } from './reporter.ts'

/** What a reader can paste to see a failure again. */
export interface Reproduction {
  /** Sends the one call that failed; null where only the runner can. */
  call: string | null
  /** Why there is no command, or what to do first; null if neither applies. */
  note: string | null
  /** Runs the scenario again. */
  again: string
}

/** How to see again what a check saw. The secret is never part of it: `sign` takes it from the environment. */
export function reproductionOf(
  exchange: RedactedExchange | undefined,
  { scenario, url }: { scenario: string; url: string },
  options: RenderOptions,
): Reproduction {
  const again = rerunCommand(options.invocation, scenario)
  // A target that is gone after the run gets no more calls, and only the target can repeat its own delivery.
  if (!exchange || options.keepsNothing || exchange.speaker === 'target') return { call: null, note: null, again }
  const call = callCommand(exchange, url, options.signing)
  const whyNot = whyOnlyTheRunner(exchange, call)
  if (whyNot !== null) return { call: null, note: whyNot, again }
  const keyId = headerOf(exchange.requestHeaders, HEADERS.keyId) ?? ''
  const isUnsigned = exchange.canonicalString === null && !isDeliveryOfOurs(exchange)
  const isKnown = isUnsigned || options.signing?.secretEnv[keyId] !== undefined
  return {
    call,
    note: isKnown ? null : `first set ${USUAL_VARIABLE} to the secret of ${keyId || 'the receiver'}`,
    again,
  }
}

/** Longer commands do not fit on a line of a report. */
export const MAX_COMMAND_CHARACTERS = 4_000

function whyOnlyTheRunner({ oddity, requestBody, target }: RedactedExchange, call: string): string | null {
  const only = 'only the runner sends this call:'
  if (oddity !== undefined) return `${only} ${oddity}`
  if (!/^[\x21-\x7e]+$/.test(target) || soundQuery(target) === undefined) return `${only} its URL is broken on purpose`
  const isHidden = /\[secret\]|\[signature\]|\[\d+ characters, |\ufffd|… \(\d+ bytes more\)/.test(call)
  const fits = call.length <= MAX_COMMAND_CHARACTERS && escapeLine(call) === call && !requestBody.startsWith('@')
  return isHidden || !fits ? `${only} a report cannot show its bytes` : null
}

/** Headers that `sign` and curl write themselves. */
const WRITTEN = new Set([
  ...['host', 'content-length', 'connection', 'user-agent', 'accept', 'accept-encoding'],
  ...Object.values(HEADERS).map((name) => name.toLowerCase()),
])

function callCommand(exchange: RedactedExchange, baseUrl: string, signing: Signing | undefined): string {
  const { method, requestBody: body, requestHeaders } = exchange
  const url = (exchange.origin ?? originOf(baseUrl)) + exchange.target
  const headers = requestHeaders.filter(([name]) => !WRITTEN.has(name.toLowerCase()))
  const program = signing?.program ?? 'partner-sandbox'
  if (isDeliveryOfOurs(exchange))
    return `${curlCommand({ method, url, headers, body })} -H ${deliverySignature(program, body, signing)}`
  if (exchange.canonicalString === null) return curlCommand({ method, url, headers, body })
  const keyId = headerOf(exchange.requestHeaders, HEADERS.keyId) ?? ''
  const idempotencyKey = headerOf(exchange.requestHeaders, HEADERS.idempotencyKey) ?? ''
  const extra = headers.filter(([name, value]) => !(name.toLowerCase() === 'content-type' && value === JSON_TYPE))
  const secret = signing?.secretEnv[keyId] ?? USUAL_VARIABLE
  const words = [
    ...['sign', method, url, '--key-id', keyId, '--secret-env', secret],
    ...extra.flatMap(([name, value]) => ['--header', `${name}=${value}`]),
    ...(idempotencyKey === '' ? [] : ['--idempotency-key', idempotencyKey]),
    ...(body === '' ? [] : ['--body', body]),
    '--curl',
  ]
  return `${program} ${words.map(shellQuote).join(' ')} | sh`
}

/** The header with the signature, made when the line is run. */
function deliverySignature(program: string, body: string, signing: Signing | undefined): string {
  const words = ['sign', '--webhook', '--secret-env', signing?.secretEnv[''] ?? USUAL_VARIABLE, '--body', body]
  return `"$(${program} ${words.map(shellQuote).join(' ')})"`
}

const USUAL_VARIABLE = 'PARTNER_SECRET'
const JSON_TYPE = 'application/json'

/** The command that runs one scenario again. */
export function rerunCommand(invocation: string, scenario: string): string {
  return `${invocation} --only ${shellQuote(scenario)}`
}
