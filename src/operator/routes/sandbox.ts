import { formatInstant } from '../../clock/instant.ts'
import { DEFAULT_GAPS, GAP_IDS, type GapId, gapOf } from '../../contract/choices.ts'
import { ENDPOINT_IDS } from '../../contract/endpoint-ids.ts'
import { ENDPOINTS } from '../../contract/endpoints.ts'
import { OPERATION_IDS, operationOf } from '../../operator-api/operations.ts'
import { magicBuyers, magicDomains } from '../../sandbox/inventory/magic.ts'
import { operatorOpenApi } from '../openapi.ts'
import { isServedBy } from '../proxy-operations.ts'
import { type HandlersOf, ok } from '../route.ts'

export const sandboxHandlers: HandlersOf<'sandbox' | 'magic' | 'gaps'> = {
  'sandbox.show': ({ operator }) =>
    ok({
      product: 'partner-sandbox',
      version: operator.version,
      api_url: operator.apiUrl(),
      started_at: formatInstant(operator.startedAtMs),
      ...(operator.proxy && { proxy: operator.proxy }),
      operations: OPERATION_IDS.filter((id) => isServedBy(operator.proxy, id)).map((id) => {
        const { method, path } = operationOf(id)
        return `${method} ${path}`
      }),
      partner_endpoints: ENDPOINT_IDS.map((id) => ({ id, method: ENDPOINTS[id].method, path: ENDPOINTS[id].path })),
    }),
  'sandbox.openapi': ({ operator }) => ok(operatorOpenApi({ version: operator.version, url: '/' })),
  'magic.list': () => ok({ domains: magicDomains(), buyers: magicBuyers() }),
  'gaps.list': () => ok({ gaps: GAP_IDS.map(presentGap) }),
  'gaps.show': ({ world }) => ok({ gaps: GAP_IDS.map((id) => ({ ...presentGap(id), chosen: world.gaps[id] })) }),
}

function presentGap(id: GapId) {
  const { requirement, question, values, reason, chosenBy, fixed } = gapOf(id)
  return {
    id,
    requirement,
    question,
    values,
    default: DEFAULT_GAPS[id],
    reason,
    ...(chosenBy !== undefined && { chosen_by: chosenBy }),
    ...(fixed !== undefined && { fixed }),
  }
}
