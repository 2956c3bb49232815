import { ENDPOINT_IDS, ENDPOINTS } from '../../contract/endpoints.ts'
import { ERROR_CODES, type ErrorCode } from '../../contract/errors.ts'
import { GAP_IDS, type GapId, gapOf } from '../../contract/gaps.ts'
import { CODE_HINTS, endpointHint } from './hints.ts'
import { type DraftRow, type Evidence, section } from './row.ts'
import { edge, NEW } from './seen-in-answer.ts'
import { NOTHING, together } from './tally.ts'

export function gapSection(evidence: Evidence) {
  const shown = shownGaps(evidence)
  const open = GAP_IDS.filter((id) => gapOf(id).values.length > 1)
  return section(
    'gaps',
    'Open points',
    open.map((id) => {
      const title = `${gapOf(id).question}: ${evidence.world.gaps[id]}`
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
  const { seen, fact, command, world } = evidence
  const byCode = (code: ErrorCode) => ({ seen: seen('code', code), hint: CODE_HINTS[code](evidence) })
  return {
    'missing-headers-status': byCode('missing_signature_headers'),
    'timestamp-status': byCode('invalid_timestamp'),
    'replay-status': byCode('replay_detected'),
    'missing-idempotency-key-status': byCode('missing_idempotency_key'),
    'error-layout': {
      seen: together(...ERROR_CODES.map((code) => seen('code', code))),
      hint: CODE_HINTS.not_found(evidence),
    },
    'created-status': {
      seen: together(...CREATING.map((id) => seen('accepted', id))),
      hint: endpointHint('quotes.create', evidence),
    },
    'hosted-order-state': {
      seen:
        world.gaps['hosted-order-state'] === 'TRANSFER_IN_PROGRESS'
          ? seen('order-edge', edge(NEW, 'TRANSFER_IN_PROGRESS'))
          : NOTHING,
      hint: 'pay on the page of a checkout session, then GET /orders',
    },
    'case-states': {
      seen: together(seen('accepted', 'brokerage.create'), seen('accepted', 'brokerage.detail')),
      hint: endpointHint('brokerage.create', evidence),
    },
    'case-event': {
      seen: together(seen('event', CASE_EVENT), fact('events-delivered', CASE_EVENT)),
      hint: `${command('brokerage close-deal last')}; then read GET /events, or accept the webhook`,
    },
    'retry-schedule': {
      seen: fact('delivered-later'),
      hint: 'answer a delivery with 500 and the next attempt with 200',
    },
  }
}
