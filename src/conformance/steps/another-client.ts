import type { EndpointId } from '../../contract/endpoints.ts'
import { type CallExchange, exchangesOf, type ScenarioRun } from '../context/run.ts'
import type { Expectation } from '../format/expectations/expectation.ts'
import { RECORD_ORDER } from '../format/step-facts.ts'
import { isAccepted } from '../http/exchange.ts'
import { atPath } from '../http/json-body.ts'

/** Lists with totals, which each sale of the partner changes. */
const WITH_TOTALS: readonly (EndpointId | null)[] = ['transactions.list', 'settlements.list', 'payouts.list']

/**
 * Why a failed check of a number says nothing: the event history shows that another client of the same partner has sold something
 * since the first order of this scenario. Null if it does not, or the check is not about all sales of the partner.
 */
export async function anotherClient(
  scenarioRun: ScenarioRun,
  expectation: Expectation,
  { call }: CallExchange,
): Promise<string | null> {
  if (!countsAllSales(expectation, call.op)) return null
  const { run } = scenarioRun
  const own = exchangesOf(scenarioRun)
    .filter((made) => made.call.op === RECORD_ORDER && isAccepted(made.answer))
    .map(({ answer }) => answer && run.dialect.find('order.public_id', answer))
    .flatMap((found) => (found?.found ? [found.value] : []))
  const history = run.historyOf(run.credentials.main)
  const recorded = await history.refresh(scenarioRun).then(
    () => history.since(0).filter(({ type }) => type === 'order.recorded'),
    () => [],
  )
  const idOf = ({ json }: (typeof recorded)[number]) => atPath(json, 'data.order.public_id')
  const first = recorded.find((event) => own.includes(idOf(event)))
  const ofTheRun = new Set(run.created.map(({ id }) => id))
  const others = recorded.filter(
    (event) => first !== undefined && event.position > first.position && !ofTheRun.has(String(idOf(event))),
  )
  if (others.length === 0) return null
  return `another client of this partner sold ${others.length} ${others.length === 1 ? 'domain' : 'domains'} in the meantime; run this scenario again while no other client sells`
}

/** Sales of others do not add to a list that is to be empty. */
function countsAllSales({ count, sums, roles }: Expectation, op: EndpointId | null): boolean {
  if (op === 'orders.list') return count !== undefined && count !== 0
  return WITH_TOTALS.includes(op) && (sums !== undefined || roles !== undefined)
}
