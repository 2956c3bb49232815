import type { IconName } from '../kit/icon.tsx'

/** The links of the navigation; one is shown once its view is in the table of views. */
export const NAVIGATION: readonly { name: string; path: string; icon: IconName }[] = [
  { name: 'Overview', path: '/w/{w}', icon: 'overview' },
  { name: 'Orders', path: '/w/{w}/orders', icon: 'orders' },
  { name: 'Requests', path: '/w/{w}/requests', icon: 'requests' },
  { name: 'Events', path: '/w/{w}/events', icon: 'events' },
  { name: 'Deliveries', path: '/w/{w}/deliveries', icon: 'deliveries' },
  { name: 'Checkout', path: '/w/{w}/checkout', icon: 'checkout' },
  { name: 'Brokerage', path: '/w/{w}/brokerage', icon: 'brokerage' },
  { name: 'Links', path: '/w/{w}/links', icon: 'links' },
  { name: 'Inventory', path: '/w/{w}/inventory', icon: 'inventory' },
  { name: 'Money', path: '/w/{w}/money', icon: 'money' },
  { name: 'Faults', path: '/w/{w}/faults', icon: 'faults' },
  { name: 'Coverage', path: '/w/{w}/coverage', icon: 'coverage' },
  { name: 'Credentials', path: '/w/{w}/credentials', icon: 'credentials' },
  { name: 'Worlds', path: '/worlds', icon: 'worlds' },
]
