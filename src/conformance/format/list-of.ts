import { ENDPOINT_IDS, ENDPOINTS, type EndpointId } from '../../contract/endpoints.ts'
import type { RoleName } from './roles.ts'

/** The list that an operation answers with. */
export const LIST_OF: Partial<Record<EndpointId, RoleName>> = Object.fromEntries(
  ENDPOINT_IDS.flatMap((id): [EndpointId, RoleName][] => {
    const { list } = ENDPOINTS[id]
    return list ? [[id, list.items]] : []
  }),
)
