import { CasesView, CaseView } from './brokerage.tsx'
import { CheckoutsView, CheckoutView } from './checkout.tsx'
import { CoverageView } from './coverage.tsx'
import { CredentialsView } from './credentials.tsx'
import { DeliveriesView, DeliveryView } from './deliveries.tsx'
import { EventsView, EventView } from './events.tsx'
import { FaultsView } from './faults.tsx'
import { InventoryView, ListingView } from './inventory.tsx'
import { LinksView } from './links.tsx'
import { MoneyView, PayoutRunView, SettlementRunView } from './money.tsx'
import { OrderView } from './order.tsx'
import { OrdersView } from './orders.tsx'
import { OverviewView } from './overview.tsx'
import { RequestView } from './request.tsx'
import { RequestsView } from './requests.tsx'
import type { ViewRow } from './view.ts'
import { WorldsView } from './worlds.tsx'

/**
 * All views. A new one needs its row here, and a file beside this one. Those with an icon are the links of the navigation, in this
 * order.
 */
export const VIEWS: readonly ViewRow[] = [
  { path: '/w/{w}', title: 'Overview', view: OverviewView, icon: 'overview', ofCalls: true },
  { path: '/w/{w}/orders', title: 'Orders', view: OrdersView, icon: 'orders' },
  { path: '/w/{w}/orders/{public_id}', title: 'Order', view: OrderView },
  { path: '/w/{w}/requests', title: 'Requests', view: RequestsView, icon: 'requests', ofCalls: true },
  { path: '/w/{w}/requests/{request_id}', title: 'Request', view: RequestView, ofCalls: true },
  { path: '/w/{w}/events', title: 'Events', view: EventsView, icon: 'events' },
  { path: '/w/{w}/events/{event_id}', title: 'Event', view: EventView },
  { path: '/w/{w}/deliveries', title: 'Deliveries', view: DeliveriesView, icon: 'deliveries' },
  { path: '/w/{w}/deliveries/{delivery_id}', title: 'Delivery', view: DeliveryView },
  { path: '/w/{w}/checkout', title: 'Checkout', view: CheckoutsView, icon: 'checkout' },
  { path: '/w/{w}/checkout/{session_id}', title: 'Checkout session', view: CheckoutView },
  { path: '/w/{w}/brokerage', title: 'Brokerage', view: CasesView, icon: 'brokerage' },
  { path: '/w/{w}/brokerage/{case_id}', title: 'Case', view: CaseView },
  { path: '/w/{w}/links', title: 'Links', view: LinksView, icon: 'links' },
  { path: '/w/{w}/inventory', title: 'Inventory', view: InventoryView, icon: 'inventory' },
  { path: '/w/{w}/inventory/{name}', title: 'Domain', view: ListingView },
  { path: '/w/{w}/money', title: 'Money', view: MoneyView, icon: 'money' },
  { path: '/w/{w}/money/settlements/{run_id}', title: 'Settlement run', view: SettlementRunView },
  { path: '/w/{w}/money/payouts/{run_id}', title: 'Payout run', view: PayoutRunView },
  { path: '/w/{w}/faults', title: 'Faults', view: FaultsView, icon: 'faults' },
  { path: '/w/{w}/coverage', title: 'Coverage', view: CoverageView, icon: 'coverage', ofCalls: true },
  { path: '/w/{w}/credentials', title: 'Credentials', view: CredentialsView, icon: 'credentials' },
  { path: '/worlds', title: 'Worlds', view: WorldsView, icon: 'worlds' },
]
