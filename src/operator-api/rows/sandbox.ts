import type { GapValue } from '../../contract/choices.ts'
import type { EndpointId } from '../../contract/endpoint-ids.ts'
import { get, returns } from '../operation.ts'

/** Where the other port is, and what can be asked of both. */
export interface About {
  product: string
  version: string
  api_url: string
  /** By the machine's clock. Another one than before: the sandbox was started again, and has lost what it had in memory. */
  started_at: string
  /** Present if this is a proxy: the server that it passes calls on to. */
  proxy?: { readonly target: string }
  operations: readonly string[]
  partner_endpoints: { id: EndpointId; method: string; path: string }[]
}

interface MagicName {
  pattern: string
  example: string
  does: string
  acts: 'once' | 'always'
  on: string
}

/** The names that behave by themselves (docs/faults.md). */
export interface MagicList {
  domains: MagicName[]
  buyers: MagicName[]
}

/** An open point of the API document (docs/api.md). */
export interface WrittenGap {
  id: string
  requirement: string
  question: string
  values: readonly GapValue[]
  default: GapValue
  reason: string
  chosen_by?: string
  fixed?: string
}

/** A document of OpenAPI, which has further members. */
export interface OpenApi {
  openapi: string
  paths: Record<string, object>
  readonly [member: string]: unknown
}

export const sandboxRows = {
  'sandbox.show': get('/v1', {
    summary:
      'What runs here: `product`, `version`, `api_url`, `started_at`, the `operations` of this API and the `partner_endpoints` of the other one.',
    returns: returns<About>(),
  }),
  'sandbox.openapi': get('/v1/openapi.json', {
    summary: 'This API as OpenAPI 3.1, for tools that make clients and collections.',
    returns: returns<OpenApi>(),
  }),
  'magic.list': get('/v1/magic', {
    summary: 'The names that behave by themselves: `domains` and `buyers`.',
    returns: returns<MagicList>(),
    command: { usage: 'magic', summary: '', shows: 'magic' },
  }),
  'gaps.list': get('/v1/gaps', {
    summary:
      'What the API document leaves open: `gaps`, each with `id`, `requirement`, `question`, `values`, `default`, `reason`, and `chosen_by` or `fixed` where it has one value.',
    returns: returns<{ gaps: WrittenGap[] }>(),
  }),
  'gaps.show': get('/v1/worlds/{w}/gaps', {
    summary: 'The same with what this world chose: `chosen`.',
    returns: returns<{ gaps: (WrittenGap & { chosen: GapValue })[] }>(),
  }),
}
