import type { EndpointId } from '../../contract/endpoints.ts'
import type { RoleName } from '../roles.ts'

/** What can be learnt from the answers of one read. */
interface ReadRow {
  /** Roles of the answer itself. */
  readonly answer: readonly RoleName[]
  /** Roles of each item of its list. */
  readonly items?: { readonly of: RoleName; readonly roles: readonly RoleName[] }
  /** A list inside the answer, with the roles of its entries. */
  readonly inner?: { readonly of: RoleName; readonly roles: readonly RoleName[] }
}

const LISTING = ['listing.domain', 'listing.price', 'listing.currency'] as const
const ORDER = ['order.created_at', 'order.payment_model', 'order.quote_id', 'order.external_payment_ref'] as const
const CASE = ['case.status', 'case.domain', 'case.created_at'] as const
const PAYOUTS: ReadRow = {
  answer: ['payouts.items', 'payouts.total', 'list.next'],
  items: {
    of: 'payouts.items',
    roles: ['payout.id', 'payout.amount', 'payout.currency', 'payout.kind', 'payout.date'],
  },
}

/** The roles that the document leaves open, by the reads that show them. */
export const READABLE: Partial<Record<EndpointId, ReadRow>> = {
  'domains.search': { answer: ['search.items'], items: { of: 'search.items', roles: ['search.domain'] } },
  'domains.detail': { answer: [...LISTING, 'listing.available', 'listing.metadata'] },
  availability: { answer: ['listing.domain', 'listing.price', 'listing.available'] },
  pricing: { answer: [...LISTING, 'listing.floor'] },
  'orders.list': {
    answer: ['orders.items', 'orders.next'],
    items: { of: 'orders.items', roles: ORDER },
  },
  'orders.detail': {
    answer: [...ORDER, 'order.timeline'],
    inner: { of: 'order.timeline', roles: ['timeline.status', 'timeline.at'] },
  },
  'settlements.list': {
    answer: ['statements.items', 'list.next'],
    items: {
      of: 'statements.items',
      roles: [
        'statement.id',
        'statement.period_start',
        'statement.period_end',
        'statement.gross',
        'statement.commission',
        'statement.owed',
        'statement.currency',
        'statement.orders',
      ],
    },
  },
  'transactions.list': {
    answer: ['transactions.items', 'transactions.count', 'transactions.gmv', 'transactions.commission', 'list.next'],
    items: {
      of: 'transactions.items',
      roles: [
        'transaction.id',
        'transaction.order',
        'transaction.domain',
        'transaction.amount',
        'transaction.commission',
        'transaction.currency',
        'transaction.payment_model',
        'transaction.status',
        'transaction.created_at',
      ],
    },
  },
  'payouts.list': PAYOUTS,
  'me.payouts': PAYOUTS,
  'brokerage.list': { answer: ['cases.items', 'list.next'], items: { of: 'cases.items', roles: CASE } },
  'brokerage.detail': { answer: [...CASE, 'case.progress_url', 'case.timeline'] },
  'brokerage.eligibility': { answer: ['eligibility.eligible', 'eligibility.reason', 'eligibility.domain'] },
  'links.list': {
    answer: ['links.items', 'list.next'],
    items: {
      of: 'links.items',
      roles: ['link.id', 'link.url', 'link.domain', 'link.product', 'link.clicks', 'link.sales', 'link.created_at'],
    },
  },
  'me.clicks': { answer: ['clicks.total', 'clicks.by_link'] },
  'me.sales': {
    answer: ['sales.items', 'list.next'],
    items: {
      of: 'sales.items',
      roles: [
        'sale.order',
        'sale.link',
        'sale.buyer',
        'sale.buyer_email',
        'sale.domain',
        'sale.amount',
        'sale.commission',
        'sale.currency',
        'sale.created_at',
      ],
    },
  },
  'me.commissions': {
    answer: ['ledger.items', 'ledger.total', 'list.next'],
    items: {
      of: 'ledger.items',
      roles: ['ledger.kind', 'ledger.amount', 'ledger.balance', 'ledger.order', 'ledger.created_at'],
    },
  },
  analytics: {
    answer: ['funnel.steps', 'funnel.clicks', 'funnel.checkouts', 'funnel.sales', 'funnel.gmv', 'funnel.commission'],
  },
}

/** What a sound answer may lack: a buyer without a link, the last page of a list, a deal without an order. */
const OPTIONAL: ReadonlySet<RoleName> = new Set([
  'orders.next',
  'list.next',
  'order.quote_id',
  'order.external_payment_ref',
  'order.payment_model',
  'transaction.order',
  'transaction.domain',
  'sale.order',
  'sale.link',
  'sale.currency',
  'transaction.currency',
  'payout.currency',
  'statement.currency',
  'ledger.order',
  'link.domain',
  'link.product',
  'case.domain',
  'eligibility.reason',
  'eligibility.domain',
  'funnel.steps',
  'funnel.checkouts',
  'clicks.by_link',
  'transactions.count',
])

export function isOptional(role: RoleName): boolean {
  return OPTIONAL.has(role)
}

/** Reads that show a role. */
export function readsOf(role: RoleName): EndpointId[] {
  return Object.entries(READABLE).flatMap(([op, { answer, items, inner }]) =>
    [...answer, ...(items?.roles ?? []), ...(inner?.roles ?? [])].includes(role) ? [op as EndpointId] : [],
  )
}

/** Roles that answers of writes have as well, whose shape no read shows. */
export function isInWrites(role: RoleName): boolean {
  return /^(order|case|link|timeline)\./.test(role)
}
