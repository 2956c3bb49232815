import { InvalidArgumentError } from 'commander'
import { parseDuration } from '../../clock/duration.ts'
import { ENDPOINT_IDS } from '../../contract/endpoint-ids.ts'
import type { BodyOf } from '../../operator-api/operations.ts'
import { faultRows, GARBAGE_KINDS } from '../../operator-api/rows/faults.ts'
import { commandError } from '../operator/command-errors.ts'
import type { Group } from '../operator/group.ts'
import { bodyFrom, flagsFor, withMemberFlags } from '../operator/member-flags.ts'
import type { OperatorCommand } from '../operator/operator-command.ts'
import { faultText } from '../operator/show/fault.ts'
import { nonEmpty } from '../option-parsers.ts'

type FaultBody = BodyOf<'faults.add'>

const MEMBERS = flagsFor(faultRows['faults.add'], [
  ['match.endpoint', '--endpoint <id>', 'only calls to this endpoint', ENDPOINT_IDS],
  ['match.credential', '--credential <name>', 'only calls of this credential, by name or key id'],
  ['match.domain', '--domain <name>', 'only calls that name this domain'],
  ['match.public_id', '--order <id>', 'only calls that name this order'],
  ['effect.status', '--status <n>', 'refuse with this status'],
  ['effect.code', '--code <code>', 'refuse with this code of the API'],
  ['effect.message', '--message <text>', 'message of the refusal'],
  ['effect.retry_after', '--retry-after <seconds>', 'refuse with 429 and this Retry-After'],
  ['effect.delay_ms', '--delay <duration>', 'delay the answer, e.g. 3s or 1500ms', milliseconds],
  ['effect.drop', '--drop <when>', 'close the connection instead of answering'],
  ['effect.garbage', '--garbage [kind]', 'send a broken body (default: truncated)', GARBAGE_KINDS],
  ['times', '--times <n>', 'number of calls to affect (default: 1)'],
])

const CHANCE = flagsFor(faultRows['faults.add'], [
  ['probability', '--probability <p>', 'affect each call with this probability, e.g. 0.1', probability],
  ['seed', '--seed <text>', "seed of the probability (default: the world's seed)", nonEmpty],
])

const ADD: OperatorCommand<{ forever?: boolean }> = {
  usage: 'fault add',
  summary: 'make calls fail: which ones, how, and how often',
  options: (add) =>
    withMemberFlags(
      withMemberFlags(add, MEMBERS).option('--forever', 'affect all calls until you remove the fault'),
      CHANCE,
    ),
  async run(context, _args, { forever, ...options }) {
    const fault = bodyFrom<'faults.add'>([...MEMBERS, ...CHANCE], options)
    context.show(await context.call('faults.add', {}, faultBody(fault, forever === true)), faultText)
  },
}

function faultBody(fault: Partial<FaultBody> | null, forever: boolean): FaultBody {
  const { match = {}, effect = {}, ...rest } = fault ?? {}
  if (forever && rest.times !== undefined) throw commandError('exclusive', { one: '--forever', other: '--times' })
  if (rest.seed !== undefined && rest.probability === undefined) throw commandError('seed-alone')
  return { match, effect: oneEffect(effect), ...rest, ...(forever && { times: null }) }
}

/** A refusal, or one of the others. */
function oneEffect({ delay_ms, drop, garbage, ...refusal }: FaultBody['effect']): FaultBody['effect'] {
  const others = Object.entries({ delay_ms, drop, garbage }).filter(([, value]) => value !== undefined)
  const isRefusal = Object.keys(refusal).length > 0
  if (others.length === 0 && !isRefusal) throw commandError('effect-missing')
  if (others.length > (isRefusal ? 0 : 1)) throw commandError('effect-twice')
  const isLimit = refusal.retry_after !== undefined && refusal.status === undefined && refusal.code === undefined
  return isRefusal ? { ...(isLimit && { code: 'rate_limited' }), ...refusal } : Object.fromEntries(others)
}

/** Real time, so that fractions of a second are worth having. */
function milliseconds(text: string): number {
  const [, plain] = /^(\d{1,6})ms$/.exec(text) ?? []
  const delayMs = plain === undefined ? parseDuration(text) : Number(plain)
  if (delayMs === null || delayMs < 1) throw new InvalidArgumentError('It must be a duration, e.g. 3s or 1500ms.')
  return delayMs
}

function probability(text: string): number {
  const value = /^(?:0?\.\d{1,12}|[01](?:\.\d{1,12})?)$/.test(text) ? Number(text) : Number.NaN
  if (!(value > 0 && value <= 1)) throw new InvalidArgumentError('It must be more than 0 and at most 1, e.g. 0.1.')
  return value
}

export const GROUP: Group = { rows: faultRows, extras: { '': [ADD] } }
