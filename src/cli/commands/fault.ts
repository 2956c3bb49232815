import { type Command, InvalidArgumentError } from 'commander'
import { parseDuration } from '../../clock/duration.ts'
import { ENDPOINT_IDS } from '../../contract/endpoints.ts'
import { ERROR_CODES } from '../../contract/errors.ts'
import type { BodyOf } from '../../operator-api/operations.ts'
import { choiceOption } from '../choice-option.ts'
import { commandError } from '../operator/command-errors.ts'
import type { Extras } from '../operator/group.ts'
import { addSubcommand } from '../operator/operator-command.ts'
import { faultText } from '../operator/show/fault.ts'
import { integerBetween, nonEmpty } from '../option-parsers.ts'
import type { Session } from '../session.ts'

interface MatchOptions {
  endpoint?: string
  credential?: string
  domain?: string
  order?: string
}

interface EffectOptions {
  status?: number
  code?: string
  message?: string
  retryAfter?: number
  delay?: number
  drop?: string
  garbage?: string | true
}

interface AddOptions extends MatchOptions, EffectOptions {
  times?: number
  forever?: boolean
  probability?: number
  seed?: string
}

export const EXTRAS: Extras = { '': addAdd }

function addAdd(command: Command, session: Session): void {
  addSubcommand<AddOptions>(command, session, {
    usage: 'add',
    summary: 'let calls go wrong on purpose: which ones, how, and how often',
    options: addOptions,
    run: async (context, _args, options) => {
      context.show(await context.call('faults.add', {}, faultBody(options) as BodyOf<'faults.add'>), faultText)
    },
  })
}

function addOptions(add: Command): Command {
  return add
    .addOption(choiceOption('--endpoint <id>', 'only calls to this one', ENDPOINT_IDS))
    .option('--credential <name>', 'only calls of this credential, by name or key id')
    .option('--domain <name>', 'only calls that name this domain')
    .option('--order <id>', 'only calls that name this order')
    .option('--status <n>', 'refuse with this status', integerBetween(400, 599))
    .addOption(choiceOption('--code <code>', 'refuse with this code of the API', ERROR_CODES))
    .option('--message <text>', 'what the refusal says')
    .option('--retry-after <seconds>', 'refuse with 429 and this wait', integerBetween(1, 3_600))
    .option('--delay <duration>', 'answer so much later, e.g. 3s or 1500ms', milliseconds)
    .addOption(
      choiceOption('--drop <when>', 'close the connection in place of an answer', ['before-commit', 'after-commit']),
    )
    .addOption(
      choiceOption('--garbage [kind]', 'spoil the body (default: truncated)', [
        'truncated',
        'not-json',
        'empty',
        'html',
      ]),
    )
    .option('--times <n>', 'on how many calls (default: 1)', integerBetween(1, 1_000_000))
    .option('--forever', 'on all calls until it is removed')
    .option('--probability <p>', 'on each call by chance, e.g. 0.1', probability)
    .option('--seed <text>', "what chance derives from (default: the world's seed)", nonEmpty)
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

function faultBody(options: AddOptions): object {
  const { endpoint, credential, domain, order, times, forever, probability: chance, seed } = options
  if (forever && times !== undefined) throw commandError('exclusive', { one: '--forever', other: '--times' })
  if (seed !== undefined && chance === undefined) throw commandError('seed-alone')
  const match = given({ endpoint, credential, domain, public_id: order })
  return {
    match,
    effect: effectBody(options),
    ...(forever ? { times: null } : given({ times })),
    ...given({ probability: chance, seed }),
  }
}

function effectBody({ status, code, message, retryAfter, delay, drop, garbage }: EffectOptions): object {
  const refusal = given({
    status,
    code: code ?? (retryAfter && !status ? 'rate_limited' : undefined),
    message,
    retry_after: retryAfter,
  })
  const effects = [refusal, given({ delay_ms: delay }), given({ drop }), given({ garbage })].filter(
    (effect) => Object.keys(effect).length > 0,
  )
  const [effect, another] = effects
  if (effect && !another) return effect
  throw commandError(effect ? 'effect-twice' : 'effect-missing')
}

/** Only what is there. */
function given(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}
