import { magicBuyers, magicDomains } from '../../sandbox/inventory/magic.ts'
import { ok, route } from '../route.ts'

const list = route('GET', '/v1/magic', {
  summary: 'The names that behave by themselves: `domains` and `buyers`.',
  handle: () => ok({ domains: magicDomains(), buyers: magicBuyers() }),
})

export const magicRoutes = [list]
