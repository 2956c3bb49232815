import { ENDPOINT_IDS, type EndpointId } from '../../contract/endpoints.ts'
import { ROUTES } from './routes.ts'

/** Every endpoint of the document, and whether this sandbox serves it yet. */
export function servedEndpoints(): { id: EndpointId; served: boolean }[] {
  return ENDPOINT_IDS.map((id) => ({ id, served: ROUTES[id].served }))
}
