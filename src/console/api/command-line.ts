import { OPERATION_TABLE, type SlimCommand } from 'virtual:operations'
import { isObject } from '../../contract/is-object.ts'
import { PROGRAM, shellQuote } from '../../contract/shell-quote.ts'
import { sandboxFlag, targetOf } from '../../operator-api/address.ts'
import { toWire } from '../../operator-api/camel-case.ts'
import type { OperationId, OperationInput, ParamsOf } from '../../operator-api/operations.ts'

/** An operation with what it is asked for. */
export interface Asked {
  readonly id: OperationId
  readonly params: Readonly<Record<string, string>>
  readonly input?: unknown
}

/** An operation with what it is asked for, checked against its row. */
export function asked<Id extends OperationId>(id: Id, params: ParamsOf<Id>, input?: OperationInput<Id>): Asked {
  return { id, params, input }
}

/**
 * The command that does the same, from the row of its operation; null if no command can say it.
 *
 * @param origin of the operator port; named in the command unless it is the one that commands use by themselves.
 * @example commandLine(asked('orders.list', { w: 'default' }, { status: 'SETTLED' }), 'http://127.0.0.1:4601') // 'npx partner-sandbox order list --status SETTLED'
 */
export function commandLine({ id, params, input = {} }: Asked, origin: string): string | null {
  const rows = OPERATION_TABLE[id].commands
  const commands = rows.length > 0 ? rows : (OWN_COMMANDS[id] ?? [])
  const members = flat(toWire(input))
  for (const command of commands) {
    const words = wordsOf(command, params, members)
    if (words) return programLine(words.before, origin) + after(words.behind)
  }
  return null
}

/** Values that would be taken for flags stand behind `--`, which ends them. */
function after(operands: readonly string[]): string {
  return operands.length === 0 ? '' : ` -- ${operands.map(shellQuote).join(' ')}`
}

/** The line for the shell that asks for it: a command, or a curl line if no command can say it. */
export function pasteLine(of: Asked, origin: string, needsToken: boolean): string {
  return commandLine(of, origin) ?? curlLine(of, origin, needsToken)
}

/** A command for the sandbox of this page, ready to be pasted. */
export function programLine(words: readonly string[], origin: string): string {
  return `${PROGRAM} ${words.map(shellQuote).join(' ')}${sandboxFlag(origin)}`
}

/** The words of a command, those apart that have to stand behind all flags; null if it cannot say all that is asked. */
function wordsOf(command: SlimCommand, params: Readonly<Record<string, string>>, members: Map<string, unknown>) {
  const { usage, args = Object.keys(params).filter((name) => name !== 'w'), sends = {}, omits = {}, flags } = command
  const values = new Map<string, unknown>([...Object.entries(params), ...members])
  const said = new Set<string>(args)
  for (const [member, value] of Object.entries(sends)) {
    if (members.get(member) !== value) return null
    said.add(member)
  }
  for (const [member, value] of Object.entries(omits)) if (members.get(member) === value) said.add(member)
  const given = args.map((name) => values.get(name)).filter((value) => value !== undefined)
  const required = usage.split(' ').filter((word) => word.startsWith('<')).length
  if (given.length < required) return null
  const flagWords = flagsOf(flags, members, said)
  if ([...members.keys()].some((member) => !said.has(member))) return null
  const world = !args.includes('w') && params['w'] && params['w'] !== 'default' ? ['--world', params['w']] : []
  const verb = usage.split(' ').filter((word) => !/^[<[]/.test(word))
  const operands = given.map(String)
  const isLast = operands.some((word) => word.startsWith('-'))
  const before = [...verb, ...(isLast ? [] : operands), ...flagWords, ...world]
  return { before, behind: isLast ? operands : [] }
}

function flagsOf(flags: SlimCommand['flags'], members: Map<string, unknown>, said: Set<string>): string[] {
  return Object.entries(flags).flatMap(([member, flag]) => {
    const value = members.get(member)
    if (value === undefined || said.has(member)) return []
    const words = flagWords(flag, value)
    if (words.length > 0) said.add(member)
    return words
  })
}

/** None if the flag cannot say the value: most switches say true, and have no opposite. */
function flagWords(flag: string, value: unknown): string[] {
  const [name = '', placeholder] = flag.split(' ')
  if (placeholder !== undefined) return [name, placeholder.replace(/<.*>/, () => textOf(value))]
  const [on, off] = name.split('|')
  const word = String(value) === 'true' ? on : off
  return word ? [word] : []
}

function textOf(value: unknown): string {
  return Array.isArray(value) ? value.join(',') || 'none' : String(value)
}

/** Members by name, those of a member that is an object as `buyer.email`. */
function flat(value: unknown, prefix = ''): Map<string, unknown> {
  const entries = Object.entries(value ?? {}).flatMap(([name, inner]): [string, unknown][] =>
    isObject(inner) ? [...flat(inner, `${prefix}${name}.`)] : [[prefix + name, inner]],
  )
  return new Map(entries)
}

/** The same as a curl line. The token is never in it: it is read from the environment. */
export function curlLine({ id, params, input }: Asked, origin: string, needsToken: boolean): string {
  const { method, path } = OPERATION_TABLE[id]
  const isWriting = method !== 'GET' && method !== 'DELETE'
  const address = shellQuote(origin + targetOf(path, params, isWriting ? undefined : input))
  const verb = method === 'GET' ? [] : ['-X', method]
  const token = needsToken ? ['-H', '"Authorization: Bearer $PARTNER_SANDBOX_OPERATOR_TOKEN"'] : []
  const body = isWriting
    ? ['-H', shellQuote('Content-Type: application/json'), '-d', shellQuote(JSON.stringify(toWire(input ?? {})))]
    : []
  return ['curl', '-s', ...verb, ...token, ...body, address].join(' ')
}

const FAULT_FLAGS: SlimCommand['flags'] = {
  'match.endpoint': '--endpoint <id>',
  'match.credential': '--credential <name>',
  'match.domain': '--domain <name>',
  'effect.status': '--status <n>',
  'effect.retry_after': '--retry-after <seconds>',
  'effect.delay_ms': '--delay <n>ms',
  'effect.drop': '--drop <when>',
  'effect.garbage': '--garbage <kind>',
  times: '--times <n>',
}

const CREDENTIAL_FLAGS: SlimCommand['flags'] = {
  scopes: '--scopes <list>',
  affiliate: '--affiliate|--no-affiliate',
  merchant_of_record: '--merchant-of-record|--no-merchant-of-record',
}

const PRICE_FLAGS: SlimCommand['flags'] = { price_cents: '--price-cents <n>', floor_price_cents: '--floor-cents <n>' }

const CALM_NETWORK = {
  duplicate: 0,
  delay: null,
  reorder: false,
  drop: false,
  wrong_secret: false,
  before_response: false,
}

/** Commands with code of their own, for operations whose row has none. */
const OWN_COMMANDS: Partial<Record<OperationId, readonly SlimCommand[]>> = {
  'requests.show': [own('request show <id>')],
  'clock.advance': [
    own('clock advance <by>', {}, { args: ['by'], omits: { list: 500 } }),
    own('clock advance', { until: '--until <what>', to: '--to <iso>' }, { omits: { list: 500 } }),
  ],
  'coverage.show': [own('coverage')],
  'worlds.create': [own('world create <name>', { seed: '--seed <text>', frozen: '--frozen' }, { args: ['name'] })],
  'credentials.create': [own('credential create <name>', CREDENTIAL_FLAGS, { args: ['name'] })],
  'credentials.set': [
    own('credential revoke <name>', {}, { sends: { revoked: true } }),
    own('credential set <name>', { ...CREDENTIAL_FLAGS, revoked: '|--restored' }),
  ],
  'credentials.rotate': [own('credential rotate <name>')],
  'domains.create': [own('domain add <name>', PRICE_FLAGS, { args: ['domain'] })],
  'domains.set': [own('domain set <name>', { ...PRICE_FLAGS, listed: '--listed|--unlisted' })],
  'deliveries.probe': [own('delivery probe <id>')],
  'deliveryProfile.set': [
    own('delivery profile --reset', {}, { sends: CALM_NETWORK }),
    own(
      'delivery profile',
      {
        duplicate: '--duplicate <n>',
        delay: '--delay <duration>',
        reorder: '--reorder',
        drop: '--drop',
        wrong_secret: '--wrong-secret',
        before_response: '--before-response',
      },
      { omits: CALM_NETWORK },
    ),
  ],
  'faults.add': [own('fault add --forever', FAULT_FLAGS, { sends: { times: null } }), own('fault add', FAULT_FLAGS)],
  'gaps.show': [own('gap list')],
  'audit.show': [own('audit')],
}

function own(
  usage: string,
  flags: SlimCommand['flags'] = {},
  rest: Pick<SlimCommand, 'args' | 'sends' | 'omits'> = {},
): SlimCommand {
  return { usage, summary: usage, flags, ...rest }
}
