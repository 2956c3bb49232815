import { escapeLine } from '../../conformance/reports/escape.ts'
import { ENDPOINT_IDS } from '../../contract/endpoint-ids.ts'
import { ERROR_CODES } from '../../contract/errors.ts'
import { refusalLines } from '../../operator-api/refusal-lines.ts'
import type { WholeRequest } from '../../operator-api/rows/requests.ts'
import { requestRows } from '../../operator-api/rows/requests.ts'
import { OWNER_ONLY, replaceText } from '../files.ts'
import { askById, idWords } from '../operator/find-id.ts'
import type { Group } from '../operator/group.ts'
import type { OperatorCommand, OperatorContext } from '../operator/operator-command.ts'
import { injectedFault } from '../operator/show/fault.ts'
import { findingsOf } from '../operator/show/requests.ts'
import { tailCommand } from '../operator/tail-command.ts'
import type { OutputRow } from '../output/records.ts'

const SHOW: OperatorCommand<{ world?: string; full?: boolean }> = {
  usage: 'request show <id>',
  summary: 'show one call of any world: why it was refused, and what would have been right',
  idWords: idWords('requests'),
  options: (command) => command.option('--full', 'also show all that was sent, checked and answered'),
  async run(context, [id = ''], { world, full }) {
    const { call, session, show, next } = context
    const operation = world === undefined ? 'requests.find' : 'requests.show'
    const { requestInBrief, requestText } = await import('../operator/show/request.ts')
    const found = await askById(context, 'requests', id, (request_id) => call(operation, { request_id }))
    show(found, (answer) => (full ? requestText(answer, session) : requestInBrief(answer, session, next)))
  },
}

const HAR: OperatorCommand<{ out?: string }> = {
  usage: 'request har',
  summary: 'write the log as an HTTP archive (HAR 1.2), for browsers and proxies',
  options: (command) => command.option('--out <file>', 'file to write, for you alone to read (default: print it)'),
  async run(context, _args, { out }) {
    const { logArchive } = await import('../record/log-archive.ts')
    const { api_url: origin, version } = await context.client.call('sandbox.show', {})
    const text = await logArchive(context, origin, version)
    if (out === undefined) return context.session.out(text)
    replaceText(out, '--out', text, OWNER_ONLY)
    context.session.err(`wrote ${out}\n`)
  },
}

const TAIL = tailCommand({
  kind: 'request',
  summary: 'follow the calls as they are answered, with the reason of each that is refused',
  filters: [
    ['status', '--status <n>', 'only answers with this status or class: 401, 4xx'],
    ['code', '--code <code>', 'only refusals with this code', ERROR_CODES],
    ['endpoint', '--endpoint <id>', 'only calls of this endpoint', ENDPOINT_IDS],
    ['key_id', '--key <id>', 'only calls with this key id'],
  ],
  line: (request) => [
    [request['at'], 24],
    [request['status'], 3],
    [request['method'], 6],
    [request['target'], 48],
    [request['code'], 19],
    [request['credential'] ?? request['key_id'], 12],
    [request['request_id'], 20],
    [injectedFault(request) ?? '', 0],
  ],
  note: diagnosisOf,
})

/** Why a call was refused, with what differs and what to do. The stream has the sentence only. */
async function diagnosisOf(context: OperatorContext, row: OutputRow): Promise<string | null> {
  const findings = findingsOf(row).map(escapeLine)
  if (typeof row['reason'] !== 'string') return findings.length === 0 ? null : findings.join('\n    ')
  try {
    const shown = await context.call('requests.show', { request_id: String(row['request_id']) })
    const { diagnosis } = shown as WholeRequest
    return [...(diagnosis ? refusalLines(diagnosis).map(escapeLine) : []), ...findings].join('\n    ')
  } catch {
    // The log of a busy world may have it no more.
    return escapeLine(row['reason'])
  }
}

export const GROUP: Group = { rows: requestRows, extras: { list: [TAIL, SHOW, HAR] } }
