import type { EndpointId } from '../../contract/endpoint-ids.ts'
import { ApiError } from '../../contract/errors.ts'
import { HEADERS } from '../../contract/headers.ts'
import { caseTimelines, findCase } from '../../sandbox/brokerage/cases.ts'
import { presentTimeline } from '../../sandbox/events/events.ts'
import { normalizeDomain } from '../../sandbox/kernel/domain-name.ts'
import type { World } from '../../sandbox/kernel/world.ts'
import { findOrder } from '../../sandbox/sales/orders.ts'
import { allEndpoints, endpointOf } from '../../sandbox/webhooks/endpoints.ts'
import { headerValues } from '../../sandbox/wire/call.ts'
import type { Reply } from '../../sandbox/wire/route.ts'
import { type Fields, orderIn } from './answers.ts'
import { type Defect, defect, perWorld, type Tampered } from './defect.ts'
import { type AnyInput, altering, eachOf, handling, handlingAfter, itemsOf, keeping, refusing } from './routes.ts'

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
  defect('quotes-that-are-over-go-with-the-next-one', ['QUOTE-03'], {
    summary: 'With each new quote those that are over are deleted, and then unknown.',
    ...forgettingQuotes(),
  }),
  defect('sessions-of-a-partner-end-its-reservation', ['QUOTE-04'], {
    summary: 'A checkout session takes the row of the reservation that its partner had: others get the domain.',
    ...handlingAfter('checkout.create', ({ world, caller, body }) => {
      const ending = "UPDATE quotes SET state = 'expired' WHERE domain = ? AND partner_id = ? AND state = 'open'"
      world.db.prepare(ending).run(normalizeDomain(String(body['domain'])), caller.partnerId)
    }),
  }),
  defect('payment-references-are-unique', ['ORD-11'], {
    summary: 'An order loses its payment reference to a later one of the same partner.',
    ...altering('orders.detail', ({ external_payment_ref: ref, public_id: id }, { world, caller }) => {
      const later = 'SELECT 1 FROM orders WHERE external_payment_ref = ? AND partner_id = ? AND seq > ?'
      const isTaken = world.db.prepare(later).get(ref, caller.partnerId, findOrder(world, String(id))?.seq)
      return isTaken === undefined ? {} : { external_payment_ref: null }
    }),
  }),
  defect('sessions-are-unique-by-domain', ['CHK-02'], {
    summary: 'A session for a domain is the first one of its partner, though that may be over.',
    ...handling(
      'checkout.create',
      keptBy(({ caller, body }) => `${caller.partnerId} ${body['domain']}`),
    ),
  }),
  defect('runs-settle-what-comes-after-the-last-one', ['STATE-03'], {
    summary: 'A run settles orders that were recorded after the latest one that was settled.',
    ...altering('orders.detail', ({ status, public_id: id }, { world }) =>
      status === 'SETTLED' && wasSettledBehindALaterOne(world, String(id)) ? { status: 'TRANSFER_COMPLETED' } : {},
    ),
  }),
  ...(['CANCELLED', 'REFUNDED'] as const).map((undone) =>
    defect(`transfers-that-are-${undone.toLowerCase()}-are-silent`, ['STATE-05'], {
      summary: `That an order is ${undone} is not in the history where its transfer had begun.`,
      ...keeping('events.list', 'events', (event, { world }) => {
        const id = event['type'] === 'order.refunded' ? orderIn(event)?.['public_id'] : undefined
        return findOrder(world, String(id))?.status !== undone || !hasBegun(world, String(id))
      }),
    }),
  ),
  defect('order-pages-count-rows-of-the-latest-change', ['ORD-08'], {
    summary: 'Orders are listed by their latest change, and a cursor is a number of rows.',
    ...handling('orders.list', countingRows),
  }),
  defect('refused-refunds-take-the-commission', ['REF-02'], {
    summary: 'A refund that is refused leaves the sale without its commission.',
    ...takingTheCommission(),
  }),
  defect('payouts-of-both-lists-have-one-mark', ['PAY-01'], {
    summary:
      'The list of payouts is built again where neither it nor that of referrals was read since the last payout.',
    ...markingBothLists(),
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
  defect('case-list-is-kept-until-a-case-is-opened', ['BRKL-01'], {
    summary: 'The list of cases comes from a cache that is emptied when a case is opened, and not when one is closed.',
    ...handling(
      'brokerage.list',
      keptBy(({ world, caller, query }) => {
        const opened = world.db.prepare('SELECT count(*) FROM brokerage_cases WHERE partner_id = ?').pluck()
        return `${caller.partnerId} ${JSON.stringify(query)} ${opened.get(caller.partnerId)}`
      }),
    ),
  }),
  defect('progress-link-is-that-of-the-buyer', ['BRK-02'], {
    summary: 'All cases of a buyer have the progress link of the first.',
    ...altering('brokerage.create', ({ progress_url: url, buyer_email: email }, { world }) => {
      const first = progressLinks(world).get(email) ?? url
      progressLinks(world).set(email, first)
      return { progress_url: first }
    }),
  }),
  defect('webhooks-are-unique-by-address', ['HOOK-02'], {
    summary: 'An address that another partner registers is no longer that of the first one.',
    ...handlingAfter('webhooks.put', ({ world, caller }) => {
      const latest = endpointOf(world.db, caller.partnerId)
      for (const { partnerId, url } of allEndpoints(world.db))
        if (partnerId !== caller.partnerId && url === latest?.url)
          world.db.prepare('DELETE FROM webhook_endpoints WHERE partner_id = ?').run(partnerId)
    }),
  }),
]

function hasNonceForKey({ world, call }: AnyInput): boolean {
  const used = world.db.prepare('SELECT 1 FROM nonces WHERE nonce = ?')
  return used.get(headerValues(call, HEADERS.idempotencyKey)[0]) !== undefined
}

type KeepingAnswers = Parameters<typeof handling>[1]

/** Code that gives the first answer again to all calls with the same mark. */
function keptBy(markOf: (input: AnyInput) => string): KeepingAnswers {
  const answers = perWorld(() => new Map<string, Reply>())
  return (input, correct) => {
    const mark = markOf(input)
    const reply = answers(input.world).get(mark) ?? correct(input)
    answers(input.world).set(mark, reply)
    return reply
  }
}

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

function forgettingQuotes(): Tampered {
  const ids: readonly EndpointId[] = ['quotes.create', 'orders.create']
  const forgotten = perWorld(() => new Set<number>())
  return handling(ids, (input, correct) => {
    const { world, body, call } = input
    if (call.endpoint === 'quotes.create') {
      const over = world.db.prepare('SELECT seq FROM quotes WHERE expires_at <= ?').pluck().all(world.clock.nowMs())
      for (const seq of over) forgotten(world).add(Number(seq))
    } else if (forgotten(world).has(Number(world.chance.numberOf('quote', String(body['quote_id'])))))
      throw new ApiError('validation_error', 'quote_id is not known')
    return correct(input)
  })
}

/** Was a later order settled before this one? */
function wasSettledBehindALaterOne(world: World, publicId: string): boolean {
  const sql = `SELECT 1 FROM order_timeline later JOIN orders ON orders.seq = later.order_seq, order_timeline own
    WHERE own.order_seq = @seq AND own.status = 'SETTLED' AND later.status = 'SETTLED'
      AND later.order_seq > @seq AND later.event_seq < own.event_seq AND orders.partner_id = @partnerId
      AND later.at < own.at`
  const order = findOrder(world, publicId)
  return order !== null && world.db.prepare(sql).get({ seq: order.seq, partnerId: order.partnerId }) !== undefined
}

function timelinesBefore(world: World, domain: unknown, caseId: string): Fields[] {
  const before = world.db.prepare('SELECT seq FROM brokerage_cases WHERE domain = ? AND seq < ? ORDER BY seq').pluck()
  const earlier = before.all(domain, findCase(world, caseId)?.seq) as number[]
  return earlier.flatMap((seq) => presentTimeline(world, caseTimelines.of(world.db, seq)) as unknown as Fields[])
}

function markingBothLists(): Tampered {
  const kept = perWorld(() => new Map<string, { mark: unknown; reply?: Reply }>())
  return handling(['payouts.list', 'me.payouts'], (input, correct) => {
    const { world, caller, call, query } = input
    const mark = world.db.prepare('SELECT count(*) FROM payouts').pluck().get()
    const whose = `${caller.partnerId} ${JSON.stringify(query)}`
    const known = kept(world).get(whose)
    const isFresh = call.endpoint === 'payouts.list' && known?.mark === mark
    const reply = isFresh && known?.reply ? known.reply : correct(input)
    kept(world).set(whose, { mark, reply: call.endpoint === 'payouts.list' ? reply : (known?.reply ?? reply) })
    return reply
  })
}

const progressLinks = perWorld(() => new Map<unknown, unknown>())

function hasBegun(world: World, id: string): boolean {
  const begun = `SELECT 1 FROM order_timeline JOIN orders ON orders.seq = order_seq
    WHERE public_id = ? AND order_timeline.status = 'TRANSFER_IN_PROGRESS'`
  return world.db.prepare(begun).get(id) !== undefined
}

/** How many rows a list has at most that counts them. */
const COUNTED = 100

function countingRows(input: AnyInput, correct: (input: AnyInput) => Reply): Reply {
  const { cursor, limit = 20, ...filters } = input.query
  const reply = correct({ ...input, query: { ...filters, limit: COUNTED } })
  const orders = itemsOf(reply.body as Fields, 'orders').toSorted((a, b) =>
    String(a['updated_at']).localeCompare(String(b['updated_at'])),
  )
  const from = Number(cursor ?? 0)
  const to = from + Number(limit)
  return { ...reply, body: { orders: orders.slice(from, to), next_cursor: to < orders.length ? String(to) : null } }
}

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
