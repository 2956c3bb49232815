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
  /** A value as this target takes it: the form of dates is open. */
  valueOf(op: EndpointId, param: string, value: unknown): Promise<string>
}

/** How a service may want its dates, the likeliest first. */
const DATE_FORMS: readonly ((instant: string) => string)[] = [
  (instant) => instant,
  (instant) => instant.slice(0, 'YYYY-MM-DD'.length),
  (instant) => String(Math.floor(Date.parse(instant) / 1_000)),
]
const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

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
  const forms = new Map<string, Promise<(instant: string) => string>>()
  const book: ParamBook = {
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

    async valueOf(op, param, value) {
      const open = openParam(op, param)
      if (open === null || typeof value !== 'string' || !INSTANT.test(value)) return String(value)
      const key = `${op}:${open}`
      const form = forms.get(key) ?? book.nameOf(op, param).then((name) => probeForm(campaign, cast, op, name, open))
      forms.set(key, form)
      return (await form)(value)
    },
  }
  return book
}

/** The first form of dates that is not refused. */
async function probeForm(campaign: Campaign, cast: Cast, op: EndpointId, name: string, open: OpenParam) {
  const ask = asker(campaign, cast, op, open)
  for (const form of DATE_FORMS) {
    if ((await ask([[name, form(CANDIDATES[open].value)]])) !== null) return form
  }
  return (instant: string) => instant
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

/** Calls an operation and tells what it answers, null where it refuses. */
function asker(campaign: Campaign, cast: Cast, op: EndpointId, open: OpenParam) {
  const speaker = createSpeaker(campaign, 'discovery', `d_${open}_`)
  const { method, path } = endpointOf(op)
  return async (query: readonly (readonly [string, string])[]): Promise<string | null> => {
    const { answer } = await converse(speaker, { op, plan: { method, path, query }, credential: cast.main })
    return isAccepted(answer) ? withoutIds(answer.json) : null
  }
}

async function probe(campaign: Campaign, cast: Cast, op: EndpointId, open: OpenParam): Promise<string | null> {
  const ask = asker(campaign, cast, op, open)
  const plain = await ask([])
  if (plain === null) return null
  const { names, value } = CANDIDATES[open]
  const values = INSTANT.test(value) ? DATE_FORMS.map((form) => form(value)) : [value]
  for (const name of names) {
    for (const one of values) {
      const answer = await ask([[name, one]])
      if (answer !== null && answer !== plain) return name
    }
  }
  return null
}

/** JSON without what differs from call to call. */
function withoutIds(json: unknown): string {
  return (
    JSON.stringify(json, (key, value) => (/^(request|trace|correlation)_?id$/i.test(key) ? undefined : value)) ?? ''
  )
}
