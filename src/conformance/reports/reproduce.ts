import { type CurlCommand, type CurlRequest, curlCommand } from '../../contract/curl-command.ts'
import { HEADERS } from '../../contract/headers.ts'
import { PROGRAM } from '../../contract/program.ts'
import { isShown, printfOf, shellQuote } from '../../contract/shell-quote.ts'
import { TRACEPARENT } from '../../contract/trace-context.ts'
import type { Signing } from '../log/lines.ts'
import { type RedactedExchange, SENT_AGAIN } from '../result/result.ts'
import { escapeLine, shorten } from './escape.ts'
import { headerOf, isDeliveryOfOurs, originOf, validQuery } from './exchange.ts'
import type { RenderOptions } from './reporter.ts'

/** What a reader can paste to see a failure again. */
interface Reproduction {
  /** Sends the one call that failed, or the pair of which it is the second; null where only the runner can. */
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
  const command = callCommand(exchange, url, options.signing)
  if ('impossible' in command) {
    return { call: null, note: `only the runner sends this call: ${command.impossible}`, again }
  }
  const keyId = headerOf(exchange.requestHeaders, HEADERS.keyId) ?? ''
  const isUnsigned = exchange.canonicalString === null && !isDeliveryOfOurs(exchange)
  const isKnown = isUnsigned || options.signing?.secretEnv[keyId] !== undefined
  return {
    call: command.line,
    note: isKnown ? null : `first set ${USUAL_VARIABLE} to the secret of ${keyId || 'the receiver'}`,
    again,
  }
}

/** Longer commands do not fit on a line of a report. */
const MAX_COMMAND_CHARACTERS = 4_000
const HAS_HIDDEN_BYTES = 'a report cannot show its bytes'

/** A line that makes the call again. Words of the target are in it, so it has to be one line that shows all that it does. */
function callCommand(exchange: RedactedExchange, baseUrl: string, signing: Signing | undefined): CurlCommand {
  const headers = exchange.requestHeaders.filter(([name]) => !WRITTEN.has(name.toLowerCase()))
  const impossible = whyOnlyTheRunner(exchange, headers)
  if (impossible !== null) return { impossible }
  const { method, target, requestBody: body, origin = originOf(baseUrl) } = exchange
  const command = commandOf({ method, origin, target, headers, body }, exchange, signing)
  if ('impossible' in command) return command
  const isShown = command.line.length <= MAX_COMMAND_CHARACTERS && escapeLine(command.line) === command.line
  return isShown ? command : { impossible: HAS_HIDDEN_BYTES }
}

/** Headers that `sign` and curl write themselves, and the trace of the run, to which the new call does not belong. */
const WRITTEN = new Set([
  TRACEPARENT,
  ...['host', 'content-length', 'connection', 'user-agent', 'accept', 'accept-encoding'],
  ...Object.values(HEADERS).map((name) => name.toLowerCase()),
])

/** What redaction and shortening leave in a text. */
const NOT_WHOLE = /\[secret\]|\[signature\]|\[\d+ characters, |\ufffd|… \(\d+ bytes more\)/

function whyOnlyTheRunner(exchange: RedactedExchange, headers: CurlRequest['headers']): string | null {
  const { oddity, requestBody, target } = exchange
  if (oddity !== undefined && oddity !== SENT_AGAIN) return oddity
  if (!/^\/[\x21-\x7e]*$/.test(target) || validQuery(target) === undefined) return 'its URL is broken on purpose'
  return [target, requestBody, ...headers.flat()].some((text) => NOT_WHOLE.test(text)) ? HAS_HIDDEN_BYTES : null
}

type TextCall = CurlRequest & { readonly body: string }

function commandOf(call: TextCall, exchange: RedactedExchange, signing: Signing | undefined): CurlCommand {
  if (isDeliveryOfOurs(exchange)) return deliveryCommand(call, signing)
  return exchange.canonicalString === null ? curlCommand(call) : signedCommand(call, exchange, signing)
}

/** `sign` makes new headers and a curl line of them. What is to be an exact copy is signed once and sent twice. */
function signedCommand(call: TextCall, exchange: RedactedExchange, signing: Signing | undefined): CurlCommand {
  const keyId = headerOf(exchange.requestHeaders, HEADERS.keyId) ?? ''
  const idempotencyKey = headerOf(exchange.requestHeaders, HEADERS.idempotencyKey) ?? ''
  const extra = call.headers.filter(([name, value]) => !(name.toLowerCase() === 'content-type' && value === JSON_TYPE))
  const words = [
    ...['sign', call.method, call.origin + call.target, '--key-id', keyId],
    ...['--secret-env', signing?.secretEnv[keyId] ?? USUAL_VARIABLE],
    ...extra.flatMap(([name, value]) => ['--header', `${name}=${value}`]),
    ...(idempotencyKey === '' ? [] : ['--idempotency-key', idempotencyKey]),
  ]
  const { input, argument } = call.body === '' ? { input: '', argument: [] } : bodyFor(call.body)
  const sign = `${input}${programOf(signing)} ${[...words, ...argument, '--curl'].map(shellQuote).join(' ')}`
  return { line: exchange.oddity === SENT_AGAIN ? `${sign} > call.sh; sh call.sh; sh call.sh` : `${sign} | sh` }
}

/** `sign` makes the header of a delivery, and curl reads it from there. */
function deliveryCommand(call: TextCall, signing: Signing | undefined): CurlCommand {
  const command = curlCommand(call)
  const { input, argument } = bodyFor(call.body)
  if ('impossible' in command) return command
  // curl cannot read both the header and the body from standard input.
  if (input !== '') return { impossible: HAS_HIDDEN_BYTES }
  const words = ['sign', '--webhook', '--secret-env', signing?.secretEnv[''] ?? USUAL_VARIABLE, ...argument]
  return { line: `${programOf(signing)} ${words.map(shellQuote).join(' ')} | ${command.line} -H @-` }
}

/** How `sign` gets a body: as a word, or from a pipe if it is not one line of text or would be taken for a file. */
function bodyFor(body: string): { input: string; argument: string[] } {
  if (isShown(body) && !/\n|^@/.test(body)) return { input: '', argument: ['--body', body] }
  return { input: `${printfOf(new TextEncoder().encode(body))} | `, argument: ['--body', '@-'] }
}

function programOf(signing: Signing | undefined): string {
  return signing?.program ?? PROGRAM
}

const USUAL_VARIABLE = 'PARTNER_SECRET'
const JSON_TYPE = 'application/json'

/** The command that runs one scenario again, in a line that shows all that it does. */
function rerunCommand(invocation: string, scenario: string): string {
  return shorten(escapeLine(`${invocation} --only ${shellQuote(scenario)}`), MAX_COMMAND_CHARACTERS)
}
