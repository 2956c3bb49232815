import { CaseView } from './brokerage/detail.tsx'
import { CasesView } from './brokerage/list.tsx'
import { CheckoutView } from './checkout/detail.tsx'
import { CheckoutsView } from './checkout/list.tsx'
import { CoverageView } from './coverage/sheet.tsx'
import { CredentialsView } from './credentials/credentials.tsx'
import { DeliveryView } from './deliveries/detail.tsx'
import { DeliveriesView } from './deliveries/list.tsx'
import { EventView } from './events/detail.tsx'
import { EventsView } from './events/list.tsx'
import { FaultsView } from './faults/faults.tsx'
import { ListingView } from './inventory/detail.tsx'
import { InventoryView } from './inventory/inventory.tsx'
import { LinksView } from './links/list.tsx'
import { MoneyView } from './money/money.tsx'
import { PayoutRunView, SettlementRunView } from './money/run-detail.tsx'
import { OrderView } from './orders/detail.tsx'
import { OrdersView } from './orders/list.tsx'
import { OverviewView } from './overview/overview.tsx'
import { RequestView } from './requests/detail.tsx'
import { RequestsView } from './requests/list.tsx'
import type { ViewRow } from './view.ts'
import { WorldsView } from './worlds/worlds.tsx'

/**
 * All views. A new one needs its row here, and a folder or file beside this one. The navigation (shell/navigation.ts) shows its
 * link as soon as its path is here.
 */
export const VIEWS: readonly ViewRow[] = [
  { path: '/w/{w}', title: 'Overview', view: OverviewView },
  { path: '/w/{w}/orders', title: 'Orders', view: OrdersView },
  { path: '/w/{w}/orders/{public_id}', title: 'Order', view: OrderView },
  { path: '/w/{w}/requests', title: 'Requests', view: RequestsView },
  { path: '/w/{w}/requests/{request_id}', title: 'Request', view: RequestView },
  { path: '/w/{w}/events', title: 'Events', view: EventsView },
  { path: '/w/{w}/events/{event_id}', title: 'Event', view: EventView },
  { path: '/w/{w}/deliveries', title: 'Deliveries', view: DeliveriesView },
  { path: '/w/{w}/deliveries/{delivery_id}', title: 'Delivery', view: DeliveryView },
  { path: '/w/{w}/checkout', title: 'Checkout', view: CheckoutsView },
  { path: '/w/{w}/checkout/{session_id}', title: 'Checkout session', view: CheckoutView },
  { path: '/w/{w}/brokerage', title: 'Brokerage', view: CasesView },
  { path: '/w/{w}/brokerage/{case_id}', title: 'Case', view: CaseView },
  { path: '/w/{w}/links', title: 'Links', view: LinksView },
  { path: '/w/{w}/inventory', title: 'Inventory', view: InventoryView },
  { path: '/w/{w}/inventory/{name}', title: 'Domain', view: ListingView },
  { path: '/w/{w}/money', title: 'Money', view: MoneyView },
  { path: '/w/{w}/money/settlements/{run_id}', title: 'Settlement run', view: SettlementRunView },
  { path: '/w/{w}/money/payouts/{run_id}', title: 'Payout run', view: PayoutRunView },
  { path: '/w/{w}/faults', title: 'Faults', view: FaultsView },
  { path: '/w/{w}/coverage', title: 'Coverage', view: CoverageView },
  { path: '/w/{w}/credentials', title: 'Credentials', view: CredentialsView },
  { path: '/worlds', title: 'Worlds', view: WorldsView },
]
