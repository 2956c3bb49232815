import { type CurlCommand, type CurlRequest, curlCommand } from '../../contract/curl-command.ts'
import { HEADERS, headerIn } from '../../contract/headers.ts'
import { isShown, PROGRAM, printfOf, shellQuote } from '../../contract/shell-quote.ts'
import { TRACEPARENT } from '../../contract/trace-context.ts'
import { counted, firstFew } from '../../contract/words.ts'
import { exchangesIn } from '../http/exchange.ts'
import {
  type CheckVerdict,
  type Observation,
  type RedactedExchange,
  type RunResult,
  SENT_AGAIN,
} from '../result/result.ts'
import type { CheckGroup, ReportedCheck } from './causes.ts'
import { openBehind } from './causes.ts'
import { escapeLine, shorten } from './escape.ts'
import {
  callWords,
  canonicalLines,
  domainTaken,
  isDelivery,
  isDeliveryOfOurs,
  originOf,
  validQuery,
} from './exchange.ts'
import { knownText, todoOf } from './not-verified.ts'
import { answerText } from './open-points.ts'
import { answersAndWhy, groupsWith, idsOf, placesOf, type RenderOptions, type ReportModel } from './report-model.ts'

/**
 * What a report says of a check that failed, in the order that it promises: what its scenario, or the row of it, is about, what was
 * expected and came, the first wrong line of what was signed, the valid call beside it, a hint, and a line that reproduces it: a
 * command to paste into a shell, safe to show as it is.
 *
 * @param url base address of the target.
 * @param scenarios all in which it was seen.
 */
export function failureFacts(
  found: ReportedCheck,
  url: string,
  options: RenderOptions,
  scenarios: readonly string[] = [found.scenario.id],
): { readonly label: string; readonly text: string; readonly isCommand?: true }[] {
  const { scenario, check, exchange } = found
  const tried = triedText(found)
  const { before, call, note, again } = reproductionOf(found, { scenarios, url }, options)
  const differing = exchange && canonicalLines(exchange).find(({ instead }) => instead !== null)
  const command = (label: string, text: string) => ({ label, text, isCommand: true as const })
  return [
    { label: 'scenario', text: scenario.title },
    { label: 'expected', text: check.expected },
    { label: 'actual', text: check.actual },
    ...(tried === null ? [] : [{ label: 'tried', text: tried }]),
    ...(exchange && isDelivery(exchange) ? [{ label: 'delivery', text: deliveryText(exchange) }] : []),
    ...(differing ? [{ label: 'signed', text: `${differing.text}; this request needs ${differing.instead}` }] : []),
    ...(check.twin === undefined ? [] : [{ label: 'valid call', text: twinText(check.twin, found.twin) }]),
    ...(check.note === undefined ? [] : hintOf(check.note, check)),
    ...(note === null ? [] : [{ label: 'note', text: note }]),
    ...(before === null ? [] : [command('first send', before)]),
    ...(call === null ? [command('reproduce', again)] : [command('reproduce', call), command('or run', again)]),
  ]
}

/**
 * What is shown under a failure instead of in a card of its own; null where nothing follows from it.
 *
 * @example followText(cause) // '2 more and 1 inconclusive may only follow, as the domain was taken here: orders/odd-prices > huge, at_its_price (409 ...)'
 */
export function followText(cause: CheckGroup): string | null {
  const { follow } = cause
  if (!follow) return null
  const open = openBehind(cause).length
  const count = open === 0 ? `${follow.length} more` : `${follow.length} more and ${open} inconclusive`
  const answers = [...new Set(follow.map(({ check }) => check.actual))]
  return `${count} may only follow, as the domain was taken here: ${placesOf(follow)} (${firstFew(answers, 2).join('; ')})`
}

/** How often a scenario was tried before this; null if once. An id such as s59x3e2 is of a third try. */
function triedText({ scenario, exchange }: ReportedCheck): string | null {
  const times = exchange?.scenario === scenario.id ? /x(\d+)e\d+$/.exec(exchange.id)?.[1] : undefined
  if (times === undefined) return null
  return `${times} times, each with other domains, as another caller may have caused what came before; this is the last time`
}

/** @example deliveryText(exchange) // 'POST, answered 200 after 3 ms' */
export function deliveryText({ method, status, broken, tookMs }: RedactedExchange): string {
  const answered = status === null ? (broken ?? 'not answered') : `answered ${status}`
  return `${method}, ${answered} after ${Math.round(tookMs)} ms`
}

/** The valid call by what it was, since its id is only in reports that have transcripts. */
function twinText(words: string, twin: RedactedExchange | undefined): string {
  const [id = ''] = exchangesIn(words)
  const call = twin === undefined ? null : callWords(twin)
  return words
    .replace(/^(?:a|the) valid (?:call|twin) was /, '')
    .replace(` in ${id}`, call === null ? '' : ` (${call}, ${twin?.status})`)
}

/** What the judge says beside: the value that it looked for, the item that came nearest, or another hint. */
function hintOf(note: string, check: ReportedCheck['check']): { label: string; text: string }[] {
  const [, label, text] = /^(asked for|nearest): (.*)$/s.exec(note) ?? []
  if (label !== undefined && text !== undefined) return [{ label, text }]
  return saysMore(note, check) ? [{ label: 'hint', text: note }] : []
}

/** Whether a note says more than what was expected and what came. */
function saysMore(note: string, { expected, actual, twin = '' }: ReportedCheck['check']): boolean {
  const known = new Set(wordsOf(`asked ${expected} ${actual} ${twin}`))
  return wordsOf(note).some((word) => word.length > 3 && !known.has(word))
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_.]+/gu) ?? []
}

/** The sentence of a requirement, with the heading of the document that it comes from. */
export function sentenceOf({ requirement }: Pick<ReportedCheck, 'requirement'>): string {
  if (requirement === undefined) return ''
  return requirement.section === '' ? requirement.text : `${requirement.text} ("${requirement.section}")`
}

/** What a reader can paste to see a failure again. */
interface Reproduction {
  /** The call without which the next one means something else: the first with its Idempotency-Key. Null if it has none before it. */
  before: string | null
  /** Sends the one call that failed, or the pair of which it is the second; null where only the runner can. */
  call: string | null
  /** Why there is no command, or what to do first; null if neither applies. */
  note: string | null
  /** Runs the scenario again. */
  again: string
}

/** How to see again what a check saw. The secret is never part of it: `sign` takes it from the environment. */
export function reproductionOf(
  { exchange, before: first }: Pick<ReportedCheck, 'exchange' | 'before'>,
  { scenarios, url }: { scenarios: readonly string[]; url: string },
  options: RenderOptions,
): Reproduction {
  // Calls of the runner itself are made in every run. A rule of the whole run has something to look at only beside the scenario that made the call.
  const made = exchange?.scenario.includes('/') ? [exchange.scenario] : []
  const ids = [...new Set([...made, ...scenarios])]
  const again = againCommand(ids.slice(0, MAX_SCENARIOS), options)
  const beyond =
    ids.length > MAX_SCENARIOS ? [`not run again: ${counted(ids.length - MAX_SCENARIOS, 'more scenario')}`] : []
  const only = (...notes: string[]) => ({
    before: null,
    call: null,
    again,
    note: [...notes, ...beyond].join('; ') || null,
  })
  // A target that is gone after the run gets no more calls, and only the target can repeat its own delivery.
  if (!exchange || options.keepsNothing || exchange.speaker === 'target') return only()
  const isCopy = exchange.oddity === SENT_AGAIN
  const command = callCommand(first || isCopy ? exchange : withFreshKey(exchange), url, options.signing)
  if ('impossible' in command) return only(`only the runner sends this call: ${command.impossible}`)
  const before = first && !isCopy ? callCommand(first, url, options.signing) : null
  return {
    ...only(...secretNote(exchange, options.signing), ...takenNote(exchange)),
    before: before && 'line' in before ? before.line : null,
    call: command.line,
  }
}

/** More scenarios than these make a line that is too long to read. */
const MAX_SCENARIOS = 6

function againCommand(ids: readonly string[], { invocation }: RenderOptions): string {
  const selected = / conform\b/.test(invocation) ? ' --selected' : ''
  return shorten(escapeLine(`${invocation}${selected} --only ${ids.map(shellQuote).join(' ')}`), MAX_COMMAND_CHARACTERS)
}

function secretNote(exchange: RedactedExchange, signing: RenderOptions['signing']): string[] {
  const keyId = headerIn(exchange.requestHeaders, HEADERS.keyId) ?? ''
  const isUnsigned = exchange.canonicalString === null && !isDeliveryOfOurs(exchange)
  if (isUnsigned || signing?.secretEnv[keyId] !== undefined) return []
  return [`first set ${USUAL_VARIABLE} to the secret of ${keyId || 'the receiver'}`]
}

function takenNote(exchange: RedactedExchange): string[] {
  return domainTaken(exchange) === null
    ? []
    : ['this call was accepted, so put another domain that is for sale into it, with amounts to match']
}

/** What the shell makes of it is another key each time. */
const FRESH_KEY = 'again-$(date +%s)'

/**
 * A call with a key that the target does not know: to the old one it would repeat its old answer. A key that is not a UUID is odd
 * on purpose, and stays.
 */
function withFreshKey(exchange: RedactedExchange): RedactedExchange {
  const requestHeaders = exchange.requestHeaders.map(([name, text]): [string, string] => [
    name,
    name.toLowerCase() === HEADERS.idempotencyKey.toLowerCase() && UUID.test(text) ? FRESH_KEY : text,
  ])
  return { ...exchange, requestHeaders }
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Longer commands do not fit on a line of a report. */
const MAX_COMMAND_CHARACTERS = 4_000
const HAS_HIDDEN_BYTES = 'a report cannot show its bytes'

/** A line that makes the call again. Words of the target are in it, so it has to be one line that shows all that it does. */
function callCommand(exchange: RedactedExchange, baseUrl: string, signing: RenderOptions['signing']): CurlCommand {
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
  ...Object.values(HEADERS).join(' ').toLowerCase().split(' '),
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

function commandOf(call: TextCall, exchange: RedactedExchange, signing: RenderOptions['signing']): CurlCommand {
  if (isDeliveryOfOurs(exchange)) return deliveryCommand(call, signing)
  return exchange.canonicalString === null ? curlCommand(call) : signedCommand(call, exchange, signing)
}

/** `sign` makes new headers and a curl line of them. What is to be an exact copy is signed once and sent twice. */
function signedCommand(call: TextCall, exchange: RedactedExchange, signing: RenderOptions['signing']): CurlCommand {
  const keyId = headerIn(exchange.requestHeaders, HEADERS.keyId) ?? ''
  const idempotencyKey = headerIn(exchange.requestHeaders, HEADERS.idempotencyKey) ?? ''
  const extra = call.headers.filter(([name, value]) => !(name.toLowerCase() === 'content-type' && value === JSON_TYPE))
  const words = [
    ...['sign', call.method, call.origin + call.target, '--key-id', keyId],
    ...['--secret-env', signing?.secretEnv[keyId] ?? USUAL_VARIABLE],
    ...extra.flatMap(([name, value]) => ['--header', `${name}=${value}`]),
  ]
  const key = idempotencyKey === '' ? '' : ` --idempotency-key ${keyWord(idempotencyKey)}`
  const { input, argument } = call.body === '' ? { input: '', argument: [] } : bodyFor(call.body)
  const quoted = (these: readonly string[]) => these.map(shellQuote).join(' ')
  const sign = `${input}${programOf(signing)} ${quoted(words)}${key} ${quoted([...argument, '--curl'])}`
  return { line: exchange.oddity === SENT_AGAIN ? `${sign} > call.sh; sh call.sh; sh call.sh` : `${sign} | sh` }
}

/** The fresh key is for the shell to fill in; a target has no part in its text. */
function keyWord(key: string): string {
  return key === FRESH_KEY ? `"${key}"` : shellQuote(key)
}

/** `sign` makes the header of a delivery, and curl reads it from there. */
function deliveryCommand(call: TextCall, signing: RenderOptions['signing']): CurlCommand {
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

function programOf(signing: RenderOptions['signing']): string {
  return signing?.program ?? PROGRAM
}

const USUAL_VARIABLE = 'PARTNER_SECRET'
const JSON_TYPE = 'application/json'

/** What is to be said of checks or of an open point: once, where it is the same of several. */
export interface Remark {
  /** The requirements, or the open point. */
  readonly ids: string
  /** Scenarios and steps. */
  readonly places: string
  /** In the words of the target. */
  readonly says: string
  /** What to do or to know; empty if there is nothing. */
  readonly more: string
}

/** What the reports for people say of checks that neither passed nor are new failures, by heading. Each heading has at least one. */
export function remarksOf(model: ReportModel): (readonly [heading: string, remarks: readonly Remark[]])[] {
  const rows = [
    ['Known failures (listed in the baseline)', knownFailures(model)],
    ['Inconclusive', remarksWith(model, 'inconclusive')],
    ['Errors of the runner', remarksWith(model, 'harness_error')],
    ['Observed: not as pinned', remarksWith(model, 'drift')],
    ['Observed: the target follows another sentence of the document', remarksWith(model, 'tolerated')],
  ] as const
  return rows.filter(([, remarks]) => remarks.length > 0)
}

/** Failures that the baseline lists. They are still violations, but not new ones. */
function knownFailures({ known }: ReportModel): Remark[] {
  return known.flatMap(({ id, causes }) =>
    causes.map(({ first: { check }, checks }) => ({
      ids: id,
      places: placesOf(checks),
      says: check.actual,
      more: check.known ? knownText(check.known) : '',
    })),
  )
}

function remarksWith(model: ReportModel, verdict: CheckVerdict): Remark[] {
  return groupsWith(model, verdict).map((group) => {
    const { check, exchange } = group.first
    return {
      ids: idsOf(group.checks),
      places: placesOf(group.checks),
      says: verdict === 'drift' ? `${check.actual} (${check.expected})` : answersAndWhy(group),
      more: verdict === 'inconclusive' ? `to do: ${todoOf(check, exchange)}` : '',
    }
  })
}

/** What the target was seen to do where the document leaves a choice, by open point in the order of the registry. */
export function observedRemarks({ observations, requirements }: RunResult): Remark[] {
  const places = new Map(requirements.map(({ id }, at) => [id, at]))
  const place = ({ gap }: Observation) => places.get(gap.split('/')[0] ?? '') ?? requirements.length
  return [...observations]
    .sort((a, b) => place(a) - place(b))
    .map(({ gap, value, scenario }) => ({ ids: gap, places: scenario, says: answerText(value), more: '' }))
}
