import { GAP_IDS, type GapId, gapOf } from '../../contract/choices.ts'
import { ENDPOINT_IDS, ENDPOINTS } from '../../contract/endpoints.ts'
import { ERROR_CODES, type ErrorCode } from '../../contract/errors.ts'
import { PROBE_KINDS, type ProbeKind } from '../webhooks/delivery.ts'
import { edge, NEW, NOTHING, together } from './facts.ts'
import { codeHint, endpointHint } from './hints.ts'
import { type DraftRow, type Evidence, section } from './row.ts'

/** What else may happen to a client, besides endpoints, codes and states. */
export function situationSection({ seen, command }: Evidence) {
  return section('situations', 'Situations', [
    {
      id: 'cursor',
      title: 'a list read page by page with its cursor',
      seen: seen('situation', 'cursor'),
      hint: 'GET /orders?limit=1, then again with cursor=next_cursor',
    },
    {
      id: 'after_id',
      title: 'the event history read from an event on',
      seen: seen('situation', 'after_id'),
      hint: 'GET /events?after_id=evt_…',
    },
    {
      id: 'replayed',
      title: 'a stored answer repeated for an Idempotency-Key',
      seen: seen('situation', 'replayed'),
      hint: 'POST /orders twice with one Idempotency-Key and the same bytes',
    },
    {
      id: 'quote-used',
      title: 'an order at the price of a quote',
      seen: seen('order-of-quote'),
      hint: 'POST /quotes, then POST /orders with its quote_id within ten minutes',
    },
    {
      id: 'quote-expired',
      title: 'a quote that expired',
      seen: seen('quote-expired'),
      hint: `POST /quotes, then ${command('clock advance 11m')}`,
    },
    {
      id: 'checkout-paid',
      title: 'a checkout session that was paid',
      seen: seen('session', 'paid'),
      hint: `open its checkout_url and pay, or ${command('checkout pay last')}`,
    },
    {
      id: 'checkout-cancelled',
      title: 'a checkout session that was cancelled',
      seen: seen('session', 'cancelled'),
      hint: `cancel on its page, or ${command('checkout cancel last')}`,
    },
    {
      id: 'checkout-expired',
      title: 'a checkout session that expired',
      seen: seen('session', 'expired'),
      hint: `POST /checkout-session, then ${command('clock advance 8d')}`,
    },
    {
      id: 'click',
      title: 'a tracking link that was followed',
      seen: seen('click'),
      hint: 'POST /links, then open the url in its answer',
    },
    {
      id: 'attributed-sale',
      title: 'a sale attributed to a tracking link',
      seen: seen('order-of-link'),
      hint: 'open a tracking link of the domain, go on to the checkout and pay there',
    },
  ])
}

export function webhookSection(evidence: Evidence) {
  const { seen, command } = evidence
  return section('webhooks', 'Webhooks', [
    {
      id: 'accepted',
      title: 'a valid delivery, answered with 2xx',
      seen: seen('delivered'),
      hint: 'PUT /api/partner/webhooks with your receiver, then POST /orders',
    },
    ...PROBE_KINDS.map((kind) => probeRow(evidence, kind)),
    {
      id: 'twice',
      title: 'the same event delivered more than once, answered with 2xx each time',
      seen: seen('delivered-twice'),
      hint: `${command('delivery profile --duplicate 1')}, then POST /orders; or ${command('delivery redeliver last')}`,
    },
    {
      id: 'later',
      title: 'a delivery that failed at first, answered with 2xx later',
      seen: seen('delivered-later'),
      hint: `answer a delivery with 500 and the next attempt with 200; ${command('clock advance 10s')} makes the next attempt`,
    },
  ])
}

const TAMPERED: Record<ProbeKind, string> = {
  signature: 'a delivery with a digit of its signature altered, refused with 4xx',
  body: 'a delivery with a character of its body altered, refused with 4xx',
  secret: 'a delivery signed with another secret, refused with 4xx',
}

/** A receiver that refuses everything has verified nothing: it counts only together with a valid delivery that it accepted. */
function probeRow({ seen, command }: Evidence, kind: ProbeKind): DraftRow {
  const refused = seen('probe', `${kind} refused`)
  const row = { id: `refused-${kind}`, title: TAMPERED[kind], seen: refused }
  const hint = command(`delivery probe --tampering ${kind}`)
  if (seen('probe', `${kind} accepted`).count > 0) {
    return {
      ...row,
      state: 'wrong',
      says: 'the receiver accepted it',
      hint: `verify the signature, then ${command('coverage reset')} and ${hint}`,
    }
  }
  if (refused.count > 0 && seen('delivered').count === 0) {
    return {
      ...row,
      state: 'partly',
      says: 'refused, but the receiver accepted no valid delivery',
      hint: 'answer a valid delivery with 200',
    }
  }
  if (refused.count === 0 && seen('probe', `${kind} unclear`).count > 0) {
    return { ...row, state: 'partly', says: 'inconclusive: the answer was neither 2xx nor 4xx', hint }
  }
  return { ...row, hint }
}

export function gapSection(evidence: Evidence) {
  const shown = shownGaps(evidence)
  const open = GAP_IDS.filter((id) => gapOf(id).values.length > 1)
  return section(
    'gaps',
    'Open points',
    open.map((id) => {
      const title = `${gapOf(id).question}: ${evidence.gaps[id]}`
      return { id, title, ...(shown[id] ?? NOT_COUNTED) }
    }),
  )
}

const NOT_COUNTED = {
  seen: NOTHING,
  state: 'not_counted',
  says: 'calls do not show whether a client handles it',
  hint: '',
} as const

const CREATING = ENDPOINT_IDS.filter((id) => ENDPOINTS[id].method === 'POST')
const CASE_EVENT = 'brokerage.case_completed'

/**
 * The open points that a client has exercised, with the value that its world has chosen. Calls do not show
 * whether a client handles one of the others.
 */
function shownGaps(evidence: Evidence): Partial<Record<GapId, Pick<DraftRow, 'seen' | 'hint'>>> {
  const { seen, command, gaps } = evidence
  const byCode = (code: ErrorCode) => ({ seen: seen('code', code), hint: codeHint(code, evidence) })
  return {
    'missing-headers-status': byCode('missing_signature_headers'),
    'timestamp-status': byCode('invalid_timestamp'),
    'replay-status': byCode('replay_detected'),
    'missing-idempotency-key-status': byCode('missing_idempotency_key'),
    'error-layout': {
      seen: together(...ERROR_CODES.map((code) => seen('code', code))),
      hint: codeHint('not_found', evidence),
    },
    'created-status': {
      seen: together(...CREATING.map((id) => seen('accepted', id))),
      hint: endpointHint('quotes.create', evidence),
    },
    'hosted-order-state': {
      seen:
        gaps['hosted-order-state'] === 'TRANSFER_IN_PROGRESS'
          ? seen('order-edge', edge(NEW, 'TRANSFER_IN_PROGRESS'))
          : NOTHING,
      hint: 'pay on the page of a checkout session, then GET /orders',
    },
    'case-states': {
      seen: together(seen('accepted', 'brokerage.create'), seen('accepted', 'brokerage.detail')),
      hint: endpointHint('brokerage.create', evidence),
    },
    'case-event': {
      seen: seen('event', CASE_EVENT),
      hint: `${command('brokerage close-deal last')}; then read GET /events, or accept the webhook`,
    },
    'retry-schedule': {
      seen: seen('delivered-later'),
      hint: 'answer a delivery with 500 and the next attempt with 200',
    },
  }
}
