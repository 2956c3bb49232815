import { ApiError } from '../../contract/errors.ts'
import { HEADERS } from '../../contract/headers.ts'
import { caseTimelines, findCase } from '../../sandbox/brokerage/cases.ts'
import { presentTimeline } from '../../sandbox/events/events.ts'
import type { World } from '../../sandbox/kernel/world.ts'
import { findOrder } from '../../sandbox/sales/orders.ts'
import { headerValues } from '../../sandbox/wire/call.ts'
import type { Fields } from './answers.ts'
import { type Defect, defect, perWorld, type Tampered } from './defect.ts'
import { type AnyInput, altering, eachOf, handling, itemsOf, refusing } from './routes.ts'

/** Mistakes of what a server keeps beside the things themselves: caches, unique columns, joins and marks of how far a run has come. */
export const keptStateDefects: readonly Defect[] = [
  defect('keys-and-nonces-are-one-table', ['AUTH-01'], {
    summary: 'An order whose Idempotency-Key was a nonce is refused with 409 conflict.',
    ...refusing('orders.create', hasNonceForKey, 'conflict', 'the Idempotency-Key has been used'),
  }),
  defect('names-that-another-environment-lacks-are-not-found', ['CRED-02'], {
    summary: 'A name that was not found is kept as such, for all environments.',
    ...handling('domains.detail', rememberingWhatIsMissing()),
  }),
  defect('payment-references-are-unique', ['ORD-11'], {
    summary: 'An order loses its payment reference to a later one of the same partner.',
    ...altering('orders.detail', ({ external_payment_ref: ref, public_id: id }, { world, caller }) => {
      const later = 'SELECT 1 FROM orders WHERE external_payment_ref = ? AND partner_id = ? AND seq > ?'
      const isTaken = world.db.prepare(later).get(ref, caller.partnerId, findOrder(world, String(id))?.seq)
      return isTaken === undefined ? {} : { external_payment_ref: null }
    }),
  }),
  defect('refused-refunds-take-the-commission', ['REF-02'], {
    summary: 'A refund that is refused leaves the sale without its commission.',
    ...takingTheCommission(),
  }),
  defect('referral-payouts-have-no-dates', ['RPT-04'], {
    summary: 'The payouts of referred sales have no dates.',
    ...eachOf('me.payouts', 'payouts', (payout) => ({ ...payout, paid_at: null })),
  }),
  defect('case-timeline-is-that-of-its-domain', ['BRK-04'], {
    summary: 'The timeline of a case begins with those of earlier cases for its domain.',
    ...altering('brokerage.detail', ({ domain, timeline, case_id: id }, { world }) => ({
      timeline: [...timelinesBefore(world, domain, String(id)), ...(timeline as Fields[])],
    })),
  }),
  defect('progress-link-is-that-of-the-buyer', ['BRK-02'], {
    summary: 'All cases of a buyer have the progress link of the first.',
    ...altering('brokerage.create', ({ progress_url: url, buyer_email: email }, { world }) => {
      const first = progressLinks(world).get(email) ?? url
      progressLinks(world).set(email, first)
      return { progress_url: first }
    }),
  }),
]

function hasNonceForKey({ world, call }: AnyInput): boolean {
  const used = world.db.prepare('SELECT 1 FROM nonces WHERE nonce = ?')
  return used.get(headerValues(call, HEADERS.idempotencyKey)[0]) !== undefined
}

type KeepingAnswers = Parameters<typeof handling>[1]

/** Worlds are environments here, so that what is kept is of all. */
function rememberingWhatIsMissing(): KeepingAnswers {
  const missing = new Set<unknown>()
  return (input, correct) => {
    const name = input.params['name']
    try {
      if (missing.has(name)) throw new ApiError('not_found', 'there is no such domain')
      return correct(input)
    } catch (error) {
      missing.add(name)
      throw error
    }
  }
}

function timelinesBefore(world: World, domain: unknown, caseId: string): Fields[] {
  const before = world.db.prepare('SELECT seq FROM brokerage_cases WHERE domain = ? AND seq < ? ORDER BY seq').pluck()
  const earlier = before.all(domain, findCase(world, caseId)?.seq) as number[]
  return earlier.flatMap((seq) => presentTimeline(world, caseTimelines.of(world.db, seq)) as unknown as Fields[])
}

const progressLinks = perWorld(() => new Map<unknown, unknown>())

function takingTheCommission(): Tampered {
  const refused = perWorld(() => new Set<unknown>())
  return handling(['refunds.create', 'transactions.list'], (input, correct) => {
    const { call, world, body } = input
    if (call.endpoint === 'refunds.create') {
      try {
        return correct(input)
      } catch (error) {
        refused(world).add(body['public_id'])
        throw error
      }
    }
    const reply = correct(input)
    const transactions = itemsOf(reply.body as Fields, 'transactions').map((sale) =>
      refused(world).has(sale['public_id']) ? { ...sale, commission_cents: 0 } : sale,
    )
    return { ...reply, body: { ...(reply.body as Fields), transactions } }
  })
}
