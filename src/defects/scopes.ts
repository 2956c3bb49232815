import type { EndpointId } from '../contract/endpoints.ts'
import type { Scope } from '../contract/scopes.ts'
import { codeOf, refusingWith } from './answers.ts'
import type { Defect } from './defect.ts'

/** Mistakes about what a credential may do. */
export const scopeDefects: readonly Defect[] = [
  openToAll('domains.search', 'SCOPE-01'),
  openToAll('domains.detail', 'SCOPE-01'),
  openToAll('availability', 'SCOPE-01'),
  openToAll('pricing', 'SCOPE-01'),
  openToAll('quotes.create', 'SCOPE-02'),
  openToAll('orders.create', 'SCOPE-02'),
  openToAll('events.list', 'SCOPE-07'),
  openToAll('orders.list', 'SCOPE-08'),
  openToAll('orders.detail', 'SCOPE-08'),
  takes('orders.list', ['buy'], 'SCOPE-08'),
  takes('orders.list', ['search'], 'SCOPE-08'),
  takes('orders.detail', ['buy'], 'SCOPE-08'),
  takes('orders.detail', ['search'], 'SCOPE-08'),
  takes('domains.search', ['buy'], 'SCOPE-01'),
  takes('domains.detail', ['buy'], 'SCOPE-01'),
  takes('availability', ['buy'], 'SCOPE-01'),
  takes('pricing', ['buy'], 'SCOPE-01'),
  takes('quotes.create', ['search'], 'SCOPE-02'),
  takes('orders.create', ['report'], 'SCOPE-02'),
  takes('events.list', ['report'], 'SCOPE-07'),
  {
    id: 'scope-lacking-is-401',
    breaks: ['SCOPE-01', 'SCOPE-02', 'SCOPE-07', 'SCOPE-08'],
    summary: 'A call without the scope is refused with status 401.',
    rules: (sound) => ({ ...sound, statuses: { forbidden: 401 } }),
  },
  {
    id: 'scope-lacking-is-not-found',
    breaks: ['SCOPE-01', 'SCOPE-02', 'SCOPE-07', 'SCOPE-08'],
    summary: 'A call without the scope is refused with 404 not_found, to hide what exists.',
    ...refusingWith((answer) => codeOf(answer) === 'forbidden', { status: 404, code: 'not_found' }),
  },
]

function openToAll(endpoint: EndpointId, requirement: string): Defect {
  return {
    id: `scope-of-${named(endpoint)}-ignored`,
    breaks: [requirement],
    summary: `The endpoint ${endpoint} is open to every credential, whatever its scopes.`,
    rules: (sound) => ({ ...sound, scopes: { ...sound.scopes, [endpoint]: [] } }),
  }
}

function takes(endpoint: EndpointId, scopes: readonly Scope[], requirement: string): Defect {
  return {
    id: `scope-of-${named(endpoint)}-is-${scopes.join('-')}`,
    breaks: [requirement],
    summary: `The endpoint ${endpoint} is opened by ${scopes.join(' or ')} and by no other scope.`,
    rules: (sound) => ({ ...sound, scopes: { ...sound.scopes, [endpoint]: scopes } }),
  }
}

function named(endpoint: EndpointId): string {
  return endpoint.replace('.', '-')
}
