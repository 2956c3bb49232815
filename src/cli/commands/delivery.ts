import { type Command, Option } from 'commander'
import { EVENT_TYPES } from '../../contract/event-types.ts'
import { choiceOption } from '../choice-option.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import { addSubcommand, type OperatorContext, queryOf } from '../operator/operator-command.ts'
import { CliError, type Session } from '../operator/session.ts'
import { addDeliveryTail } from '../operator/tails.ts'
import { durationText, integerBetween, pageLimit } from '../option-parsers.ts'
import { deliveryList, deliveryText, probeText } from '../output/deliveries.ts'
import { outline } from '../output/outline.ts'
import { rowsOf } from '../output/records.ts'

interface ListOptions {
  state?: string
  type?: string
  event?: string
  partner?: string
  limit?: number
  cursor?: string
}

interface ProbeOptions {
  tampering?: string
}

interface ProfileOptions {
  duplicate?: number
  reorder?: boolean
  delay?: string
  drop?: boolean
  wrongSecret?: boolean
  beforeResponse?: boolean
  reset?: boolean
}

export function configure(command: Command, session: Session): void {
  addSubcommand<ListOptions>(command, session, {
    usage: 'list',
    summary: 'the webhook deliveries to all partners, newest first',
    options: listOptions,
    run: async (context, _args, { state, type, event, partner, limit, cursor }) => {
      const filters = { state, type, event_id: event, partner_id: partner, cursor }
      const query = queryOf({ ...filters, limit: limit?.toString() })
      context.show(await context.askWorld('GET', `/deliveries${query}`), deliveryList)
    },
  })
  addDeliveryTail(command, session)
  addSubcommand(command, session, {
    usage: 'show <id>',
    summary: 'one delivery: what is sent, and every attempt',
    run: async (context, [id = '']) => context.show(await context.askWorld('GET', deliveryPath(id)), deliveryText),
  })
  addSubcommand(command, session, {
    usage: 'redeliver <id>',
    summary: 'attempt it once more, at once',
    run: async (context, [id = '']) =>
      context.show(await context.askWorld('POST', `${deliveryPath(id)}/redeliver`, {}), deliveryText),
  })
  addSubcommand<ProbeOptions>(command, session, {
    usage: 'probe [id]',
    summary: 'send it tampered with, to see whether the receiver verifies signatures (default: the latest delivery)',
    options: (probe) =>
      probe
        .addOption(
          new Option('--tampering <what>', 'one of them (default: each in turn)').choices([
            'signature',
            'body',
            'secret',
          ]),
        )
        .addHelpText(
          'after',
          '\nExit codes: 0 where the receiver refused all of them, 1 where it took one (it does not verify) or left it open.',
        ),
    run: async (context, [id], { tampering }) => {
      const chosen = id ?? (await latestDelivery(context))
      const wanted = tampering === undefined ? {} : { tampering }
      const answer = await context.askWorld('POST', `${deliveryPath(chosen)}/probe`, wanted)
      context.show(answer, probeText)
      if (rowsOf(answer, 'probes').some(({ verdict }) => verdict !== 'refused')) session.exitWith(EXIT_CODES.refused)
    },
  })
  addSubcommand<ProfileOptions>(command, session, {
    usage: 'profile',
    summary: 'how webhooks go wrong on purpose: show it, or set it with options; what is left out is as usual then',
    options: profileOptions,
    run: async (context, _args, options) => {
      const wanted = profileBody(options)
      const answer = wanted
        ? await context.askWorld('PUT', '/delivery-profile', wanted)
        : await context.askWorld('GET', '/delivery-profile')
      context.show(answer, outline)
    },
  })
}

const STATES = ['pending', 'delivered', 'failed', 'dropped']

function listOptions(list: Command): Command {
  return list
    .addOption(choiceOption('--state <state>', 'only those in this state', STATES))
    .addOption(choiceOption('--type <type>', 'only those of events of this type', EVENT_TYPES))
    .option('--event <id>', 'only those of this event')
    .option('--partner <id>', 'only those to this partner')
    .option('--limit <n>', 'how many', pageLimit)
    .option('--cursor <id>', 'go on from here')
}

function profileOptions(profile: Command): Command {
  return profile
    .option('--duplicate <n>', 'send each event so many times more', integerBetween(0, 5))
    .option('--reorder', 'send later events before earlier ones that are due together')
    .option('--delay <duration>', "let the first attempt wait, in the world's time", durationText)
    .option('--drop', 'send nothing')
    .option('--wrong-secret', 'sign with another secret')
    .option('--before-response', 'answer a call only when the attempts for its events have ended')
    .option('--reset', 'deliver as usual again')
}

/** The whole profile as the options say it; null where they say nothing. */
function profileBody(options: ProfileOptions): object | null {
  const { duplicate, reorder, delay, drop, wrongSecret, beforeResponse, reset } = options
  const wanted = {
    ...(duplicate === undefined ? {} : { duplicate }),
    ...(delay === undefined ? {} : { delay }),
    ...(reorder ? { reorder } : {}),
    ...(drop ? { drop } : {}),
    ...(wrongSecret ? { wrong_secret: wrongSecret } : {}),
    ...(beforeResponse ? { before_response: beforeResponse } : {}),
  }
  const isEmpty = Object.keys(wanted).length === 0
  if (reset && !isEmpty) throw new CliError('--reset takes no other option: it sets all of them back')
  return reset || !isEmpty ? wanted : null
}

async function latestDelivery(context: OperatorContext): Promise<string> {
  const [latest] = rowsOf(await context.askWorld('GET', '/deliveries?limit=1'), 'deliveries')
  if (!latest) throw new CliError('this world has no delivery yet: register a receiver, then record an order')
  return String(latest['delivery_id'])
}

function deliveryPath(id: string): string {
  return `/deliveries/${encodeURIComponent(id)}`
}
