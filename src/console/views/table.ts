import { OrderView } from './orders/detail.tsx'
import { OrdersView } from './orders/list.tsx'
import { OverviewView } from './overview/overview.tsx'
import { RequestView } from './requests/detail.tsx'
import { RequestsView } from './requests/list.tsx'
import type { ViewRow } from './view.ts'

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
]
