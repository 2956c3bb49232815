import { Option } from 'commander'
import { TAMPERINGS } from '../../operator-api/rows/deliveries.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import { commandError } from '../operator/command-errors.ts'
import type { Extras } from '../operator/group.ts'
import { type BodyFlags, bodyFrom, withMemberFlags } from '../operator/member-flags.ts'
import type { OperatorCommand, OperatorContext } from '../operator/operator-command.ts'
import { probeText } from '../operator/show/deliveries.ts'
import { DELIVERY_TAIL } from '../operator/tails.ts'
import { durationText, integerBetween } from '../option-parsers.ts'
import { outline } from '../output/outline.ts'
import { rowsOf } from '../output/records.ts'

const PROBE: OperatorCommand<{ tampering?: (typeof TAMPERINGS)[number] }> = {
  usage: 'delivery probe [id]',
  summary: 'send it tampered with, to see whether the receiver verifies signatures (default: the latest delivery)',
  options: (probe) =>
    probe
      .addOption(new Option('--tampering <what>', 'one of them (default: each in turn)').choices(TAMPERINGS))
      .addHelpText(
        'after',
        '\nExit codes: 0 where the receiver refused all of them, 1 where it took one (it does not verify) or left it open.',
      ),
  async run(context, [id], { tampering }) {
    const delivery_id = id ?? (await latestDelivery(context))
    const answer = await context.call('deliveries.probe', { delivery_id }, tampering === undefined ? {} : { tampering })
    context.show(answer, probeText)
    const refusedAll = rowsOf(answer, 'probes').every(({ verdict }) => verdict === 'refused')
    if (!refusedAll) context.session.exitWith(EXIT_CODES.refused)
  },
}

async function latestDelivery(context: OperatorContext): Promise<string> {
  const [latest] = rowsOf(await context.call('deliveries.list', {}, { limit: 1 }), 'deliveries')
  if (!latest) throw commandError('no-delivery')
  return String(latest['delivery_id'])
}

const PROFILE_FLAGS: BodyFlags<'deliveryProfile.set'> = [
  ['duplicate', '--duplicate <n>', 'send each event so many times more', integerBetween(0, 5)],
  ['reorder', '--reorder', 'send later events before earlier ones that are due together'],
  ['delay', '--delay <duration>', "let the first attempt wait, in the world's time", durationText],
  ['drop', '--drop', 'send nothing'],
  ['wrong_secret', '--wrong-secret', 'sign with another secret'],
  ['before_response', '--before-response', 'answer a call only when the attempts for its events have ended'],
]

const PROFILE: OperatorCommand<{ reset?: boolean }> = {
  usage: 'delivery profile',
  summary: 'how webhooks go wrong on purpose: show it, or set it with options; what is left out is as usual then',
  options: (profile) => withMemberFlags(profile, PROFILE_FLAGS).option('--reset', 'deliver as usual again'),
  async run(context, _args, options) {
    const given = bodyFrom<'deliveryProfile.set'>(PROFILE_FLAGS, options)
    if (options.reset && given) throw commandError('profile-reset-alone')
    const wanted = options.reset ? {} : given
    const call = wanted ? context.call('deliveryProfile.set', {}, wanted) : context.call('deliveryProfile.show', {})
    context.show(await call, outline)
  },
}

export const EXTRAS: Extras = { list: [DELIVERY_TAIL], redeliver: [PROBE, PROFILE] }
