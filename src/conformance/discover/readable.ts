import { ENDPOINT_IDS, ENDPOINTS, type EndpointId } from '../../contract/endpoints.ts'
import type { RoleName } from '../format/roles.ts'

/** What can be learned from the answers of one read. */
interface ReadRow {
  readonly answer: readonly RoleName[]
  readonly items?: { readonly of: RoleName; readonly roles: readonly RoleName[] }
  readonly inner?: { readonly of: RoleName; readonly roles: readonly RoleName[] }
}

/** The roles that the document leaves open, by the reads that show them; reads that share a role stand together. */
export const READABLE: Partial<Record<EndpointId, ReadRow>> = Object.fromEntries(rowsTogether())

function rowsTogether(): [EndpointId, ReadRow][] {
  const rows: [EndpointId, ReadRow][] = []
  for (const id of ENDPOINT_IDS) {
    const row: ReadRow | null = ENDPOINTS[id].openRoles
    if (!row) continue
    const last = rows.findLastIndex(([, other]) =>
      rolesIn(other).some((role) => role !== 'list.next' && rolesIn(row).includes(role)),
    )
    rows.splice(last === -1 ? rows.length : last + 1, 0, [id, row])
  }
  return rows
}

export function rolesIn({ answer, items, inner }: ReadRow): RoleName[] {
  return [...answer, ...(items?.roles ?? []), ...(inner?.roles ?? [])]
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
  return Object.entries(READABLE).flatMap(([op, row]) => (rolesIn(row).includes(role) ? [op as EndpointId] : []))
}

/** Roles that answers of writes have as well, whose shape no read shows. */
export function isInWrites(role: RoleName): boolean {
  return /^(order|case|link|timeline)\./.test(role)
}
