import { OPERATION_TABLE, type SlimCommand } from 'virtual:operations'
import { shellQuote } from '../../contract/shell-quote.ts'
import { toWire } from '../../operator-api/camel-case.ts'
import type { Input, OperationId, ParamsOf } from '../../operator-api/operations.ts'
import { targetOf } from '../../operator-api/target.ts'

/** An operation with what it is asked for. */
export interface Asked {
  readonly id: OperationId
  readonly params: Readonly<Record<string, string>>
  readonly input?: unknown
}

/** An operation with what it is asked for, checked against its row. */
export function asked<Id extends OperationId>(id: Id, params: ParamsOf<Id>, input?: Input<Id>): Asked {
  return { id, params, input }
}

/** Commands with code of their own, for operations whose row has none. */
const OWN_COMMANDS: Partial<Record<OperationId, readonly SlimCommand[]>> = {
  'requests.show': [{ usage: 'request show <id>', summary: 'show one call', flags: {} }],
  'clock.advance': [
    { usage: 'clock advance <by>', summary: 'move the clock', args: ['by'], flags: {} },
    { usage: 'clock advance', summary: 'move the clock', flags: { until: '--until <next|idle>' } },
  ],
  'coverage.show': [{ usage: 'coverage', summary: 'show the coverage', flags: {} }],
  'worlds.create': [
    {
      usage: 'world create <name>',
      summary: 'create a world',
      args: ['name'],
      flags: { seed: '--seed <text>', frozen: '--frozen' },
    },
  ],
  'faults.add': [
    {
      usage: 'fault add',
      summary: 'make calls fail',
      flags: {
        'match.endpoint': '--endpoint <id>',
        'match.credential': '--credential <name>',
        'match.domain': '--domain <name>',
        'effect.status': '--status <n>',
        'effect.retry_after': '--retry-after <seconds>',
        'effect.drop': '--drop <when>',
        'effect.garbage': '--garbage <kind>',
        times: '--times <n>',
      },
    },
  ],
  'gaps.show': [{ usage: 'gap list', summary: 'list the open points', flags: {} }],
  'audit.show': [{ usage: 'audit', summary: 'recompute all amounts', flags: {} }],
}

/**
 * The command that does the same, from the row of its operation; null if no command can say it.
 *
 * @example commandLine(asked('orders.list', { w: 'default' }, { status: 'SETTLED' })) // 'partner-sandbox order list --status SETTLED'
 */
export function commandLine({ id, params, input = {} }: Asked): string | null {
  const rows = OPERATION_TABLE[id].commands
  const commands = rows.length > 0 ? rows : (OWN_COMMANDS[id] ?? [])
  const members = flat(toWire(input))
  for (const command of commands) {
    const words = wordsOf(command, params, members)
    if (words) return ['partner-sandbox', ...words.map(shellQuote)].join(' ')
  }
  return null
}

/** The words of a command; null if it cannot say all that is asked. */
function wordsOf(command: SlimCommand, params: Readonly<Record<string, string>>, members: Map<string, unknown>) {
  const { usage, args = Object.keys(params).filter((name) => name !== 'w'), sends = {}, flags } = command
  const values = new Map<string, unknown>([...Object.entries(params), ...members])
  const said = new Set<string>(args)
  for (const [member, value] of Object.entries(sends)) {
    if (members.get(member) !== value) return null
    said.add(member)
  }
  const given = args.map((name) => values.get(name)).filter((value) => value !== undefined)
  const required = usage.split(' ').filter((word) => word.startsWith('<')).length
  if (given.length < required) return null
  const flagWords = flagsOf(flags, members, said)
  if ([...members.keys()].some((member) => !said.has(member))) return null
  const world = !args.includes('w') && params['w'] && params['w'] !== 'default' ? ['--world', params['w']] : []
  const verb = usage.split(' ').filter((word) => !/^[<[]/.test(word))
  return [...verb, ...given.map(String), ...flagWords, ...world]
}

function flagsOf(flags: SlimCommand['flags'], members: Map<string, unknown>, said: Set<string>): string[] {
  return Object.entries(flags).flatMap(([member, flag]) => {
    const value = members.get(member)
    if (value === undefined || said.has(member)) return []
    const [name = '', placeholder] = flag.split(' ')
    // A switch says true; its opposite has no flag.
    if (placeholder === undefined && String(value) !== 'true') return []
    said.add(member)
    return placeholder === undefined ? [name] : [name, String(value)]
  })
}

/** Members by name, those of a member that is an object as `buyer.email`. */
function flat(value: unknown, prefix = ''): Map<string, unknown> {
  const entries = Object.entries(value ?? {}).flatMap(([name, inner]): [string, unknown][] =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? [...flat(inner, `${prefix}${name}.`)]
      : [[prefix + name, inner]],
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
