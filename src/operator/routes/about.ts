import { ENDPOINT_IDS, ENDPOINTS } from '../../contract/endpoints.ts'
import { ok, route } from '../route.ts'

const about = route('GET', '/v1', {
  summary:
    'What runs here: `product`, `version`, `api_url`, the `operations` of this API and the `partner_endpoints` of the other one.',
  handle: ({ operator }) =>
    ok({
      product: 'partner-sandbox',
      version: operator.version,
      api_url: operator.apiUrl(),
      operations: operator.operations(),
      partner_endpoints: ENDPOINT_IDS.map((id) => ({ id, method: ENDPOINTS[id].method, path: ENDPOINTS[id].path })),
    }),
})

export const aboutRoutes = [about]
