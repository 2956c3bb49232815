import type { EndpointId } from '../contract/endpoints.ts'
import { isAccepted } from './answer.ts'
import { type Campaign, createSpeaker } from './campaign.ts'
import type { Cast } from './cast.ts'
import { converse } from './conversation.ts'
import { NotRun } from './signals.ts'
import { endpointOf } from './steps.ts'
import { OPEN_PARAMS, type OpenParam } from './target-schema.ts'

/** How this target calls the parameters that the document leaves open. */
export interface ParamBook {
  /** @throws NotRun where no name was found that has an effect. */
  nameOf(op: EndpointId, param: string): Promise<string>
}

/** Other names a sensible service might use, and a value that must change what a list answers. */
const CANDIDATES: Record<OpenParam, { names: readonly string[]; value: string }> = {
  'orders.domain': { names: ['domain', 'domain_name', 'name'], value: 'no-such-order.example' },
  'orders.from': {
    names: ['from', 'date_from', 'created_from', 'since', 'start', 'start_date', 'created_after'],
    value: '2999-01-01T00:00:00Z',
  },
  'orders.to': {
    names: ['to', 'date_to', 'created_to', 'until', 'end', 'end_date', 'created_before'],
    value: '1990-01-01T00:00:00Z',
  },
  'orders.cursor': { names: ['cursor'], value: '' },
  'orders.limit': { names: ['limit', 'page_size', 'per_page'], value: '1' },
  'reports.from': { names: ['from', 'date_from', 'since', 'start', 'start_date'], value: '2999-01-01T00:00:00Z' },
  'reports.to': { names: ['to', 'date_to', 'until', 'end', 'end_date'], value: '1990-01-01T00:00:00Z' },
}

/** Operations whose `from` and `to` the document spells out. */
const SPELT_OUT: readonly string[] = ['transactions.list:from', 'transactions.list:to']

/**
 * Finds names by trying: a name is known once sending it changes the answer. Where none does, nobody can say
 * whether the target lacks the filter or calls it differently, so nothing is judged.
 */
export function createParams(campaign: Campaign, cast: Cast): ParamBook {
  const found = new Map<string, Promise<string | null>>()
  return {
    async nameOf(op, param) {
      const open = openParam(op, param)
      if (open === null) return param
      const told = campaign.target.dialect.params[open]
      if (told !== undefined) return told
      if (open === 'orders.cursor') return OPEN_PARAMS[open]
      const key = `${op}:${open}`
      const known = found.get(key) ?? probe(campaign, cast, op, open)
      found.set(key, known)
      const name = await known
      if (name !== null) return name
      // What was not to be told apart now may be later, when there is more to filter.
      found.delete(key)
      throw new NotRun(
        'needs-dialect',
        `no name was found for the parameter ${param} of ${op}; name it under dialect.params`,
      )
    },
  }
}

function openParam(op: EndpointId, param: string): OpenParam | null {
  if (SPELT_OUT.includes(`${op}:${param}`)) return null
  const area =
    op === 'orders.list'
      ? 'orders'
      : endpointOf(op).scopes.includes('report') || op === 'settlements.list'
        ? 'reports'
        : null
  const name = `${area}.${param}`
  return Object.hasOwn(OPEN_PARAMS, name) ? (name as OpenParam) : null
}

async function probe(campaign: Campaign, cast: Cast, op: EndpointId, open: OpenParam): Promise<string | null> {
  const speaker = createSpeaker(campaign, 'discovery', `d_${open}_`)
  const { method, path } = endpointOf(op)
  const ask = async (query: readonly (readonly [string, string])[]): Promise<string | null> => {
    const { answer } = await converse(speaker, { op, plan: { method, path, query }, credential: cast.main })
    return isAccepted(answer) ? withoutIds(answer.json) : null
  }
  const plain = await ask([])
  if (plain === null) return null
  const { names, value } = CANDIDATES[open]
  for (const name of names) {
    const answer = await ask([[name, value]])
    if (answer !== null && answer !== plain) return name
  }
  return null
}

/** JSON without what differs from call to call. */
function withoutIds(json: unknown): string {
  return (
    JSON.stringify(json, (key, value) => (/^(request|trace|correlation)_?id$/i.test(key) ? undefined : value)) ?? ''
  )
}
