import { ENDPOINT_IDS, type EndpointId } from '../../contract/endpoint-ids.ts'
import { ENDPOINTS } from '../../contract/endpoints.ts'
import { SHOWN_ROLES } from '../dialect/dialect.ts'
import { ROLES, type RoleName } from '../format/roles.ts'

type OpenRoles = (typeof SHOWN_ROLES)[EndpointId]

/** The roles that the document leaves open, by the reads that show them; reads that share a role are neighbors. */
export const READABLE: Partial<Record<EndpointId, OpenRoles>> = Object.fromEntries(rowsTogether())

function rowsTogether(): [EndpointId, OpenRoles][] {
  const rows: [EndpointId, OpenRoles][] = []
  for (const id of ENDPOINT_IDS) {
    const row = openRolesOf(id)
    if (!row) continue
    const last = rows.findLastIndex(([, other]) =>
      rolesIn(other).some((role) => role !== 'list.next' && rolesIn(row).includes(role)),
    )
    rows.splice(last === -1 ? rows.length : last + 1, 0, [id, row])
  }
  return rows
}

type Entries = OpenRoles['lists'][number]

function openRolesOf(id: EndpointId): OpenRoles | null {
  const open: { answer: readonly RoleName[]; items?: Entries; inner?: Entries } | null = ENDPOINTS[id].openRoles
  return open && { answer: open.answer, lists: [open.items, open.inner].filter((entries) => entries !== undefined) }
}

/** What an operation shows that the document leaves open; answers of writes are in logs only. */
export function rolesShownBy(op: EndpointId): OpenRoles {
  const own = READABLE[op]
  if (own) return own
  const { effect } = ENDPOINTS[op]
  const { answer } = SHOWN_ROLES[op]
  const isOpen = (role: RoleName) => !ROLES[role].documented && !['order', 'listing'].includes(role)
  return { answer: effect === 'write' ? answer.filter(isOpen) : [], lists: [] }
}

export function rolesIn({ answer, lists }: OpenRoles): RoleName[] {
  return [...answer, ...lists.flatMap(({ roles }) => roles)]
}

/** What a valid answer may lack: a buyer without a link, the last page of a list, a deal without an order. */
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
  'ledger.currency',
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

/** Roles that answers of writes also have, whose shape no read shows. */
export function isInWrites(role: RoleName): boolean {
  return /^(order|case|link|timeline)\./.test(role)
}
