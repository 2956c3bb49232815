import { networkInterfaces } from 'node:os'
import { formatDuration } from '../../clock/duration.ts'
import { formatInstant, isOtherTime } from '../../clock/instant.ts'
import { escapeLine } from '../../conformance/reports/escape.ts'
import type { Paint } from '../../conformance/reports/paint.ts'
import { API_ROOT } from '../../contract/endpoints/endpoint.ts'
import { isLoopback } from '../../contract/host.ts'
import { shellQuote } from '../../contract/shell-quote.ts'
import { counted, firstFew } from '../../contract/words.ts'
import { sandboxFlag } from '../../operator-api/address.ts'
import type { RunningProxy } from '../../proxy/start-proxy.ts'
import type { Activity, RunningServer } from '../../server.ts'
import type { Session } from '../session.ts'
import { colors } from './color.ts'
import { progressLine } from './progress-line.ts'
import { fields, indented } from './table.ts'

/** The one line that scripts wait for (`--ready-json`); its members are public. */
export function readyLine({ url, operator, world, shard, seed, gaps, credentials }: RunningServer): string {
  const labeled = shard !== null && { shard }
  return `${JSON.stringify({ url, operator, world, ...labeled, seed, gaps, credentials })}\n`
}

/** What of a start a person may have forgotten, or did not choose in this shell. */
interface StartedWith {
  readonly data?: string
  readonly defect?: string | null
  readonly strict?: boolean
}

/** What a person sees: where it is, with which key, and a line that can be pasted. */
export function banner(server: RunningServer, session: Session, { data, defect, strict }: StartedWith): string {
  const paint = colors(session)
  const main = server.credentials.find(({ name }) => name === 'main')
  const before = server.worlds - (server.isReopened ? 0 : 1)
  const earlier = before > 0 ? ` (with ${counted(before, 'world')} of an earlier start)` : ''
  const facts = fields([
    ['API', server.url],
    ...fromOtherMachines(server),
    ['Docs', `${server.url}/docs`],
    ['Operator', server.operator ? `${server.operator.url} (in a browser: the console)` : 'off (--no-operator)'],
    ...(server.operator?.token ? [['Token', server.operator.token] as const] : []),
    ...(server.shard === null ? [] : [['Shard', server.shard] as const]),
    ['Seed', server.seed],
    ...(data === undefined ? [] : [['Data', data + earlier] as const]),
    ...(isOtherTime(server.worldTimeMs, session.wall.nowMs())
      ? [['World time', formatInstant(server.worldTimeMs)] as const]
      : []),
    ...(defect ? [['Defect', `${defect} (broken on purpose)`] as const] : []),
    ...(strict ? [['Hints', 'off (--strict)'] as const] : []),
    ['Key id', main?.key_id],
    ['Secret', main?.secret],
  ])
  const open = server.isOpenToNetwork ? openWarning('can reach this sandbox', paint) : ''
  const chosen = Object.entries(server.gaps)
  const choices = chosen.length === 0 ? '' : `\nNon-default choices:\n\n${indented(fields(chosen))}`
  const call = main ? tryLine(server.url, main, session.program) : ''
  return `${paint.bold('partner-sandbox is ready')}\n\n${indented(facts)}${open}${choices}\nTry it:\n\n  ${paint.cyan(call)}\n\nStop it with Ctrl-C.\n`
}

/** The same of a proxy: the address for the client, and how to see its calls. */
export function proxyBanner({ url, target, operator, webhooksUrl, isOpenToNetwork }: RunningProxy, session: Session) {
  const paint = colors(session)
  const facts = fields([
    ['Client calls', url],
    ...fromOtherMachines({ url, isOpenToNetwork }),
    ['Target', target],
    ['Operator', `${operator.url} (in a browser: the console)`],
    ...(operator.token === null ? [] : [['Token', operator.token] as const]),
    ...(webhooksUrl === null ? [] : [['Webhooks', webhooksUrl] as const]),
  ])
  const open = isOpenToNetwork ? openWarning('can use this proxy', paint) : ''
  const tail = paint.cyan(`${session.program} request tail${sandboxFlag(operator.url)}`)
  return `${paint.bold('The proxy is ready')}\n\n${indented(facts)}${open}\nGive your client the first address, and change nothing else. Each call appears here, and in:\n\n  ${tail}\n\nStop it with Ctrl-C.\n`
}

/** A server on every address of this machine is printed under that of loopback, which is of no use to others. */
function fromOtherMachines({ url, isOpenToNetwork }: { url: string; isOpenToNetwork: boolean }) {
  if (!isOpenToNetwork || !isLoopback(url)) return []
  const { port } = new URL(url)
  const networks = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses)
  return networks
    .filter(({ internal, family }) => !internal && family === 'IPv4')
    .map(({ address }) => ['Network', `http://${address}${port && `:${port}`}`] as const)
}

function openWarning(what: string, { bold }: Paint): string {
  return `\n${bold(`Warning: this address is not loopback. Anyone who can reach this machine ${what}.`)}\n`
}

/** A command that signs a search and sends it. */
function tryLine(url: string, main: { key_id: string; secret: string }, program: string): string {
  const target = shellQuote(`${url}${API_ROOT}/domains/search?q=solar`)
  return `PARTNER_SECRET=${shellQuote(main.secret)} ${program} sign GET ${target} --key-id ${shellQuote(main.key_id)} --curl | sh`
}

/** A line on the terminal while a large inventory is made, from the second second on. */
export function generationProgress(session: Session): { show(done: number, of: number): void; finish(): void } {
  const startedMs = session.wall.monotonicMs()
  const line = progressLine(session)
  return {
    show(done, of) {
      if (session.wall.monotonicMs() - startedMs >= 1_000) line.draw(`creating the inventory: ${done} of ${of}`)
    },
    finish: line.clear,
  }
}

/** Writes the command that shows more, of these words; null if no operator could answer it. */
type MoreCommand = (words: string) => string | null

/**
 * What `serve` prints of a call, a refusal or an attempt of a delivery.
 *
 * @param operatorUrl null without an operator port.
 * @example activityLine(notice, session, 'http://127.0.0.1:4601') // '02:17:52  POST  /api/partner/v1/orders  201  4 ms\n'
 */
export function activityLine(notice: Activity, session: Session, operatorUrl: string | null): string {
  const paint = colors(session)
  const { kind, skipped } = notice
  const command: MoreCommand = (words) => operatorUrl && `${session.program} ${words}${sandboxFlag(operatorUrl)}`
  if (kind === 'skipped') return `${paint.dim(skippedLine(notice.of, notice, command))}\n`
  const before = skipped === 0 ? '' : `${skippedLine(kind, notice, command)}\n`
  return `${paint.dim(before)}${lineOf(notice, paint, command)}\n`
}

function lineOf(notice: Exclude<Activity, { kind: 'skipped' }>, paint: Paint, command: MoreCommand): string {
  if (notice.kind === 'call') {
    const { atMs, world, method, path, status, code, tookMs, says } = notice
    const words = [timeOf(atMs), method.padEnd(6), path, status, code ?? '', `${Math.round(tookMs)} ms`, of(world)]
    const line = (status >= 400 ? String : paint.dim)(joined(words))
    return says === undefined ? line : `${line}  ${paint.yellow(escapeLine(says))}`
  }
  if (notice.kind === 'refusal') {
    const { method, path, sentence, requestId } = notice
    const more = command(`request show ${requestId}`)
    const refused = paint.yellow(escapeLine(`refused ${method} ${path}: ${sentence}`))
    return more === null ? refused : `${refused} (${paint.cyan(more)})`
  }
  const { atMs, world, type, attempt, status, failure, nextInMs, deliveryId } = notice
  const outcome = failure === null ? `delivered (${status})` : `failed: ${failure}`
  const next = nextInMs === null ? '' : `next attempt in ${formatDuration(Math.max(nextInMs, 0))}`
  const words = [timeOf(atMs), 'webhook', type, deliveryId, `attempt ${attempt} ${outcome}`, next, of(world)]
  return (failure === null ? paint.dim : paint.yellow)(joined(words))
}

const LISTS = { call: 'request list', refusal: 'request list --refused', delivery: 'delivery list' } as const
const THINGS = { call: 'calls', refusal: 'refused calls', delivery: 'attempts of deliveries' } as const

/** The command is for one world: of several, the line names the first. */
function skippedLine(
  kind: keyof typeof LISTS,
  { skipped, skippedIn }: Pick<Activity, 'skipped' | 'skippedIn'>,
  command: MoreCommand,
): string {
  const [world = '', ...others] = skippedIn
  const list = command(LISTS[kind] + (of(world) && ` --world ${world}`))
  const where = others.length === 0 ? '' : ` in the worlds ${firstFew(skippedIn, MOST_WORLDS).join(', ')}`
  return `${skipped} more ${THINGS[kind]}${where}${list === null ? '' : `: ${list}`}`
}

const MOST_WORLDS = 3

/** The first world needs no name. */
function of(world: string): string {
  return world === 'default' ? '' : world
}

function joined(words: readonly (string | number)[]): string {
  return escapeLine(words.filter((word) => word !== '').join('  '))
}

function timeOf(atMs: number): string {
  return formatInstant(atMs).slice(11, 19)
}
