import { ENDPOINTS } from '../../contract/endpoints.ts'
import { servedEndpoints } from '../../sandbox/http/served-endpoints.ts'
import { ok, route } from '../route.ts'

const about = route('GET', '/v1', {
  handle: ({ operator }) =>
    ok({
      product: 'partner-sandbox',
      version: operator.version,
      api_url: operator.apiUrl(),
      operations: operator.operations(),
      partner_endpoints: servedEndpoints().map(({ id, served }) => ({
        id,
        method: ENDPOINTS[id].method,
        path: ENDPOINTS[id].path,
        served,
      })),
    }),
})

export const aboutRoutes = [about]
