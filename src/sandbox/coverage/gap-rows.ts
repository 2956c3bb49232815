import { ENDPOINT_IDS, ENDPOINTS } from '../../contract/endpoints.ts'
import { ERROR_CODES, type ErrorCode } from '../../contract/errors.ts'
import { GAPS, type Gap, type GapId } from '../../contract/gaps.ts'
import { factId } from './facts.ts'
import { CODE_HINTS, endpointHint } from './hints.ts'
import { type DraftRow, type Evidence, type Section, section } from './row.ts'
import { edge, NEW } from './seen-in-answer.ts'
import { both, type Met, NOTHING } from './tally.ts'

/** By what it is seen that a client has met an open point, under the value that its world has chosen. */
interface GapEvidence {
  met(evidence: Evidence): Met
  hint(evidence: Evidence): string
}

/**
 * The open points that show in something that is counted. Calls do not show whether a client has met one of the others, so those
 * are listed with their value and do not count.
 */
const SHOWN: Partial<Record<GapId, GapEvidence>> = {
  'missing-headers-status': byCode('missing_signature_headers'),
  'timestamp-status': byCode('invalid_timestamp'),
  'replay-status': byCode('replay_detected'),
  'missing-idempotency-key-status': byCode('missing_idempotency_key'),
  'error-layout': {
    met: ({ seen }) => sum(ERROR_CODES.map((code) => seen('code', code))),
    hint: CODE_HINTS.not_found,
  },
  'created-status': {
    met: ({ seen }) => sum(CREATING.map((id) => seen('accepted', id))),
    hint: (evidence) => endpointHint('quotes.create', evidence),
  },
  'hosted-order-state': {
    met: ({ seen, world }) =>
      world.gaps['hosted-order-state'] === 'TRANSFER_IN_PROGRESS'
        ? seen('order-edge', edge(NEW, 'TRANSFER_IN_PROGRESS'))
        : NOTHING,
    hint: () => 'pay on the page of a checkout session, then GET /orders',
  },
  'case-states': {
    met: ({ seen }) => sum(CASES.map((id) => seen('accepted', id))),
    hint: (evidence) => endpointHint('brokerage.create', evidence),
  },
  'case-event': {
    met: ({ seen, fact }) => both(seen('event', CASE_EVENT), fact(factId('events-delivered', CASE_EVENT))),
    hint: ({ command }) => `${command('brokerage close-deal brk_…')}; then read GET /events, or accept the webhook`,
  },
  'retry-schedule': {
    met: ({ fact }) => fact(factId('delivered-later')),
    hint: () => 'answer a delivery with 500 and the next attempt with 200',
  },
}

const CASE_EVENT = 'brokerage.case_completed'

const CREATING = ENDPOINT_IDS.filter((id) => ENDPOINTS[id].method === 'POST')
const CASES = ['brokerage.create', 'brokerage.detail'] as const

function byCode(code: ErrorCode): GapEvidence {
  return { met: ({ seen }) => seen('code', code), hint: CODE_HINTS[code] }
}

function sum(all: readonly Met[]): Met {
  return all.reduce(both, NOTHING)
}

export function gapSection(evidence: Evidence): Section {
  const open = (Object.entries(GAPS) as [GapId, Gap<unknown>][]).filter(([, { values }]) => values.length > 1)
  return section(
    'gaps',
    'Open points',
    open.map(([id, gap]) => gapRow(evidence, id, gap)),
  )
}

function gapRow(evidence: Evidence, id: GapId, { question }: Gap<unknown>): DraftRow {
  const shown = SHOWN[id]
  const seen = shown?.met(evidence) ?? NOTHING
  const value = String(evidence.world.gaps[id])
  return {
    id,
    title: `${question}: ${value}`,
    seen,
    ...(!shown && { state: 'not_counted', says: 'calls do not show whether a client has met it' }),
    hint: shown?.hint(evidence) ?? '',
  }
}
