import { type Command, Option } from 'commander'
import type { BodyOf } from '../../operator-api/operations.ts'
import { type Probe, TAMPERINGS } from '../../operator-api/rows/deliveries.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import { commandError } from '../operator/command-errors.ts'
import type { Extras } from '../operator/group.ts'
import { addSubcommand, type OperatorContext } from '../operator/operator-command.ts'
import { probeText } from '../operator/show/deliveries.ts'
import { addDeliveryTail } from '../operator/tails.ts'
import { durationText, integerBetween } from '../option-parsers.ts'
import { outline } from '../output/outline.ts'
import { rowsOf } from '../output/records.ts'
import type { Session } from '../session.ts'

interface ProbeOptions {
  tampering?: Probe['tampering']
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

export const EXTRAS: Extras = { list: addDeliveryTail, redeliver: addProbeAndProfile }

function addProbeAndProfile(command: Command, session: Session): void {
  addSubcommand<ProbeOptions>(command, session, {
    usage: 'probe [id]',
    summary: 'send it tampered with, to see whether the receiver verifies signatures (default: the latest delivery)',
    options: (probe) =>
      probe
        .addOption(new Option('--tampering <what>', 'one of them (default: each in turn)').choices(TAMPERINGS))
        .addHelpText(
          'after',
          '\nExit codes: 0 where the receiver refused all of them, 1 where it took one (it does not verify) or left it open.',
        ),
    run: async (context, [id], { tampering }) => {
      const chosen = id ?? (await latestDelivery(context))
      const wanted = tampering === undefined ? {} : { tampering }
      const answer = await context.call('deliveries.probe', { delivery_id: chosen }, wanted)
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
        ? await context.call('deliveryProfile.set', {}, wanted)
        : await context.call('deliveryProfile.show', {})
      context.show(answer, outline)
    },
  })
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
function profileBody(options: ProfileOptions): BodyOf<'deliveryProfile.set'> | null {
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
  if (reset && !isEmpty) throw commandError('profile-reset-alone')
  return reset || !isEmpty ? wanted : null
}

async function latestDelivery(context: OperatorContext): Promise<string> {
  const [latest] = rowsOf(await context.call('deliveries.list', {}, { limit: 1 }), 'deliveries')
  if (!latest) throw commandError('no-delivery')
  return String(latest['delivery_id'])
}
