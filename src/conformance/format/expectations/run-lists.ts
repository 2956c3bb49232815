import { LIMITS } from '../../../contract/limits.ts'
import { PAYMENT_MODELS } from '../../../contract/payment-models.ts'
import { grouped } from '../../../contract/words.ts'
import { atPath, places } from '../../http/json-body.ts'
import type { RoleName } from '../roles.ts'
import { instantMs, shown } from '../values.ts'
import type { RunFacts } from './kind.ts'
import { keyOf, listIn } from './run-facts.ts'
import { plainly, type RuleCheck } from './run-things.ts'

// Rules of a whole run about what reads and lists say, in whichever scenario they were made.

/** A search finds five domains at most, whatever else it is asked (INV-01). */
export function findsFew(run: RunFacts): RuleCheck[] {
  return run.accepted(['domains.search']).flatMap(({ call, answer }): RuleCheck[] => {
    const { length } = listIn(run, 'search.items', answer)
    const says = length > LIMITS.searchResults ? `a search found ${length} domains` : null
    return [{ exchange: call.exchange, says, at: { role: 'search.items', item: answer } }]
  })
}

/** No answer to a registration shows a secret that its caller has registered, the new one or a former one (HOOK-01). */
export function keepsSecrets(run: RunFacts): RuleCheck[] {
  const known = new Map<string, Set<string>>()
  return run.accepted(['webhooks.put']).flatMap(({ call, answer }): RuleCheck[] => {
    const caller = `${call.world} ${call.realm}`
    const [secret, url] = [run.sent(call, 'secret'), String(run.sent(call, 'url'))]
    const secrets = known.get(caller) ?? new Set()
    known.set(caller, secrets)
    if (typeof secret === 'string' && secret.length >= SHORTEST_SECRET) secrets.add(secret)
    const values = [...places(answer.json)].map(({ value }) => value)
    const isShown = [...secrets].some(
      (one) => !url.includes(one) && values.some((value) => typeof value === 'string' && value.includes(one)),
    )
    return [{ exchange: call.exchange, says: isShown ? 'the answer shows a secret that was registered' : null }]
  })
}

/** A shorter text may be anything. */
const SHORTEST_SECRET = 12

/** The id of what a list has, where it has each once. */
const ID_IN: Readonly<Record<string, readonly [list: RoleName, id: RoleName | null]>> = {
  'orders.list': ['orders.items', 'order.public_id'],
  'brokerage.list': ['cases.items', 'case.id'],
  'links.list': ['links.items', 'link.id'],
  'events.list': ['events.items', null],
  'transactions.list': ['transactions.items', 'transaction.id'],
}

/** Lists whose ids may be those of orders, which may be there as sold and as taken back: there the whole row is compared. */
const HAS_ROWS_OF_ONE_ID: ReadonlySet<string> = new Set(['transactions.list'])

/** No page of a list has the same thing twice. */
export function repeatsNoRow(run: RunFacts, of: readonly string[]): RuleCheck[] {
  return run.accepted(of).flatMap(({ call, answer }): RuleCheck[] => {
    const [list, role] = ID_IN[String(call.op)] ?? []
    if (list === undefined) return []
    const rows = listIn(run, list, answer)
    const isWhole = HAS_ROWS_OF_ONE_ID.has(String(call.op))
    const ids = rows.flatMap((json) => {
      const id = role ? run.find(role, { json, op: answer.op }) : { found: true, value: atPath(json, 'id') }
      return id.found && typeof id.value === 'string' ? [isWhole ? JSON.stringify(json) : id.value] : []
    })
    // What has no second row does not show the place of the id to be right.
    if (ids.length < 2) return []
    const twice = ids.find((id, index) => ids.indexOf(id) < index)
    const says = twice === undefined ? null : `${shown(twice)} is twice among ${ids.length} ${list}`
    return [{ exchange: call.exchange, says, ...(role && { at: { role, item: { json: rows[0], op: answer.op } } }) }]
  })
}

/** No ledger has two lines of one kind with all that a sale since the run began earns, and none that takes one of them back. */
export function booksOnce(run: RunFacts): RuleCheck[] {
  const fromMs = run.beganAtMs
  const earned = new Map<string, number>()
  for (const { call, item } of run.rows('me.sales', 'sales.items')) {
    const [order, commission] = [run.find('sale.order', item), run.find('sale.commission', item)]
    const at = run.find('sale.created_at', item)
    const isOfRun = at.found && instantMs(String(at.value)) >= fromMs
    if (order.found && commission.found && isOfRun) earned.set(keyOf(call, order.value), Number(commission.value))
  }
  return run.accepted(['me.commissions']).flatMap(({ call, answer }): RuleCheck[] => {
    const lines = listIn(run, 'ledger.items', answer).flatMap((json) => {
      const item = { json, op: answer.op }
      const [order, kind] = [run.find('ledger.order', item), run.find('ledger.kind', item)]
      const amount = run.find('ledger.amount', item)
      const isOfSale = order.found && kind.found && amount.found && earned.has(keyOf(call, order.value))
      return isOfSale ? [{ item, order: order.value, kind: kind.value, amount: Number(amount.value) }] : []
    })
    const ofKinds = grouped(lines, ({ order, kind }) => `${order} ${kind}`)
    return [...ofKinds.values()].flatMap((all): RuleCheck[] => {
      const [first] = all
      if (!first || all.some(({ amount }) => amount <= 0)) return []
      const whole = all.filter(({ amount }) => amount === earned.get(keyOf(call, first.order)))
      if (whole.length === 0) return []
      const says = `the ${first.kind} commission of ${shown(first.order)} is booked ${whole.length} times`
      const at = { role: 'ledger.order', item: first.item } as const
      return [{ exchange: call.exchange, says: whole.length > 1 ? says : null, at }]
    })
  })
}

/** A target may give no shorter pages than some length (EVT-04), but hardly one as long as this. */
const NO_SHORTEST_PAGE = 20

/** A page of events is as long as was asked at most, and begins behind the event that it was to go on after (EVT-01). */
export function pagesAsAsked(run: RunFacts): RuleCheck[] {
  return run.accepted(['events.list']).flatMap(({ call, answer }): RuleCheck[] => {
    if (!call.isValid) return []
    const events = listIn(run, 'events.items', answer)
    const [limit, after] = [String(run.sent(call, '?limit')), run.sent(call, '?after_id')]
    const isLong = /^\d{2,4}$/.test(limit) && Number(limit) >= NO_SHORTEST_PAGE && events.length > Number(limit)
    if (isLong) return [{ exchange: call.exchange, says: `${events.length} events came where ${limit} were asked for` }]
    const again = typeof after === 'string' && events.some((event) => atPath(event, 'id') === after)
    return [{ exchange: call.exchange, says: again ? `event ${shown(after)} came after itself` : null }]
  })
}

/** A name that a domain may have: what becomes of a filter by another text is open. */
const DOMAIN = /^(?=.{1,253}$)(?:[a-z0-9-]{1,63}\.)+[a-z]{2,63}$/i

/** What a list can be narrowed by and never changes: the role of its rows, and how a value is compared; null for what is none. */
const FILTERS = [
  {
    op: 'orders.list',
    list: 'orders.items',
    role: 'order.domain',
    read: (value: unknown) => (DOMAIN.test(String(value)) ? plainly('order.domain', String(value)) : null),
  },
  { op: 'transactions.list', list: 'transactions.items', role: 'transaction.payment_model', read: modelOf },
] as const

/** One of the sales models by its usual name, in whichever letters. */
function modelOf(value: unknown): string | null {
  const word = String(value)
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '')
  return PAYMENT_MODELS.find((model) => model.replaceAll('_', '') === word) ?? null
}

/** As many pages have to have only what fits a parameter before it counts as a filter: a name may be ignored. */
const FEWEST_FITTING = 2

/** Every page of a list that was narrowed has only what fits. */
export function keepsFilters(run: RunFacts, of: readonly string[]): RuleCheck[] {
  return FILTERS.filter(({ op }) => of.includes(op)).flatMap((filter) => {
    const byName = grouped(narrowedPages(run, filter), ({ name }) => name)
    const pages = [...byName.values()].filter((all) => all.filter(({ says }) => says === null).length >= FEWEST_FITTING)
    return pages.flat()
  })
}

/** The pages of a list that a parameter may have narrowed, each with the first row that does not fit. */
function narrowedPages(
  run: RunFacts,
  { op, list, role, read }: (typeof FILTERS)[number],
): (RuleCheck & { name: string })[] {
  return run.accepted([op]).flatMap(({ call, answer }) => {
    const pairs = call.isValid ? [...new URLSearchParams(call.target.split('?')[1])] : []
    return pairs.flatMap(([name, value]) => {
      const isOnce = pairs.filter(([other]) => other === name).length === 1
      const wanted = isOnce ? read(value) : null
      if (wanted === null) return []
      const rows = listIn(run, list, answer).flatMap((json) => {
        const item = { json, op: answer.op }
        const found = run.find(role, item)
        const is = found.found ? read(found.value) : null
        return is === null ? [] : [{ item, is }]
      })
      const row = rows.find(({ is }) => is !== wanted) ?? rows[0]
      if (!row) return []
      const says = row.is === wanted ? null : `${role} is ${shown(row.is)} where ${name}=${value} was asked for`
      return [{ name, exchange: call.exchange, says, at: { role, item: row.item } }]
    })
  })
}
