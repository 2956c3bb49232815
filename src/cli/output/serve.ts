import { API_ROOT } from '../../contract/endpoints/endpoint.ts'
import { shellQuote } from '../../contract/shell-quote.ts'
import type { RunningServer } from '../../server.ts'
import type { Session } from '../session.ts'
import { colors } from './color.ts'
import { progressLine } from './progress-line.ts'
import { fields, indented } from './table.ts'

/** The one line that scripts wait for (`--ready-json`); its members are public. */
export function readyLine({ url, operator, world, shard, seed, gaps, credentials }: RunningServer): string {
  const labeled = shard !== null && { shard }
  return `${JSON.stringify({ url, operator, world, ...labeled, seed, gaps, credentials })}\n`
}

/** What a person sees: where it is, with which key, and a line that can be pasted. */
export function banner(server: RunningServer, session: Session): string {
  const paint = colors(session)
  const main = server.credentials.find(({ name }) => name === 'main')
  const facts = fields([
    ['API', server.url],
    ['Docs', `${server.url}/docs`],
    ['Operator', server.operator ? `${server.operator.url} (in a browser: the console)` : 'off (--no-operator)'],
    ...(server.operator?.token ? [['Token', server.operator.token] as const] : []),
    ...(server.shard === null ? [] : [['Shard', server.shard] as const]),
    ['Seed', server.seed],
    ['Key id', main?.key_id],
    ['Secret', main?.secret],
  ])
  const open = server.isOpenToNetwork ? `\n${paint.bold(OPEN)}\n` : ''
  const call = main ? tryLine(server.url, main, session.program) : ''
  return `${paint.bold('partner-sandbox is ready')}\n\n${indented(facts)}${open}${chosenOtherwise(server)}\nTry it:\n\n  ${paint.cyan(call)}\n\nStop it with Ctrl-C.\n`
}

const OPEN = 'Warning: this address is not loopback. Anyone who can reach this machine can reach this sandbox.'

/** The open points for which its default world has a non-default choice. */
function chosenOtherwise({ gaps }: RunningServer): string {
  const chosen = Object.entries(gaps)
  if (chosen.length === 0) return ''
  return `\nNon-default choices:\n\n${indented(fields(chosen))}`
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
