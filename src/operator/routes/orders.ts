import { OPERATOR_STEPS, type OrderState, type OrderStepName, startsIn } from '../../contract/order-states.ts'
import { camelCase } from '../../operator-api/camel-case.ts'
import type { Environment } from '../../sandbox/app/environment.ts'
import type { TimelineEntry } from '../../sandbox/events/events.ts'
import { takeStep } from '../../sandbox/sales/order-steps.ts'
import { findOrder, listOrders, orderTimelines } from '../../sandbox/sales/orders.ts'
import { presentOrder } from '../../sandbox/sales/present.ts'
import type { Order } from '../../sandbox/sales/types.ts'
import { canonical } from '../../sandbox/wire/fields.ts'
import { pagingOf } from '../../sandbox/wire/list-query.ts'
import { required, stepOrProblem } from '../problems.ts'
import { type HandlersOf, ok, okPage } from '../route.ts'

/** The same for every step of the table that an operator takes by hand. */
const step = (name: OrderStepName): HandlersOf<'orders'>['orders.hold'] => {
  return ({ world, params, body }) =>
    ok(
      world.commits.commitNow(() => {
        const order = required(findOrder(world, params.public_id), 'no-order')
        const take = () => takeStep(world, order, name, body.reason ?? null)
        const standing = () => ({ state: order.status, steps: stepsNow(world, order) })
        return presentForOperator(world, stepOrProblem(take, standing))
      }),
    )
}

export const orderHandlers: HandlersOf<'orders'> = {
  'orders.list'({ world, query }) {
    const page = listOrders(world, {
      partnerId: query.partner_id ?? null,
      status: query.status,
      domain: query.domain && canonical(query.domain),
      text: query.q,
      ...pagingOf(query),
    })
    const timelines = orderTimelines.ofAll(world.db, page.rows)
    const present = (order: Order) => presentForOperator(world, order, timelines.get(order.seq))
    return okPage('orders', page, present, ({ publicId }) => publicId)
  },
  'orders.show': ({ world, params }) =>
    ok(presentForOperator(world, required(findOrder(world, params.public_id), 'no-order'))),
  ...(Object.fromEntries(OPERATOR_STEPS.map((name) => [`orders.${camelCase(name)}`, step(name)])) as Omit<
    HandlersOf<'orders'>,
    'orders.list' | 'orders.show'
  >),
}

/** An order as its partner sees it, whose it is, and what an operator may do with it now. */
function presentForOperator(world: Environment, order: Order, entries?: TimelineEntry<OrderState>[]) {
  const { timeline, ...facts } = presentOrder(world, order, entries)
  return { ...facts, partner_id: order.partnerId, steps: stepsNow(world, order), timeline }
}

/** By the world's own rules, so that a sandbox with a defect offers what it will really do. */
function stepsNow(world: Environment, order: Order): OrderStepName[] {
  return OPERATOR_STEPS.filter((name) =>
    startsIn(name, world.rules.steps[name].from, world.gaps).includes(order.status),
  )
}
