import { ApiError } from '../../contract/errors.ts'
import { OPERATOR_STEPS, ORDER_STATES, ORDER_STEPS, type OrderStepName, startsIn } from '../../contract/order-states.ts'
import { object, oneOf, optional, text } from '../../contract/schema.ts'
import { normaliseDomain } from '../../sandbox/kernel/domain-name.ts'
import { takeStep } from '../../sandbox/sales/order-steps.ts'
import { findOrder, listOrders } from '../../sandbox/sales/orders.ts'
import { presentOrder } from '../../sandbox/sales/present.ts'
import type { Order } from '../../sandbox/sales/types.ts'
import { nextCursor, pagingOf, pagingQuery } from '../../sandbox/wire/list-query.ts'
import type { Environment } from '../../sandbox/worlds/environment.ts'
import { Problem } from '../problem.ts'
import { ok, worldRoute } from '../route.ts'

const LONGEST_REASON = 500

const list = worldRoute('GET', '/orders', {
  summary: 'The orders of all partners, newest first: `orders`, `next_cursor`.',
  query: object({
    status: optional(oneOf(ORDER_STATES)),
    partner_id: optional(text({ maxLength: 64 })),
    domain: optional(text({ format: 'domain', maxLength: 255 })),
    ...pagingQuery,
  }),
  handle({ world, query }) {
    const page = listOrders(world, {
      partnerId: query.partner_id ?? null,
      status: query.status,
      domain: query.domain === undefined ? undefined : (normaliseDomain(query.domain) as string),
      ...pagingOf(query),
    })
    return ok({
      orders: page.rows.map((order) => presentForOperator(world, order)),
      next_cursor: nextCursor(page, ({ publicId }) => publicId),
    })
  },
})

const show = worldRoute('GET', '/orders/{public_id}', {
  summary: 'One order as its partner sees it, with `partner_id`, the `steps` it allows now and its `timeline`.',
  handle: ({ world, params }) => ok(presentForOperator(world, requireOrder(world, params['public_id'] ?? ''))),
})

/** One route for every step of the table that an operator takes by hand. */
const steps = OPERATOR_STEPS.map((name) =>
  worldRoute('POST', `/orders/{public_id}/${name}`, {
    summary: `${ORDER_STEPS[name].from.join(' or ')} to ${ORDER_STEPS[name].to}. The order as it is then; 409 with its state and the steps it allows.`,
    body: object({ reason: optional(text({ format: 'plain', minLength: 1, maxLength: LONGEST_REASON })) }),
    handle({ world, params, body }) {
      return ok(
        world.commits.commitNow(() => {
          const order = requireOrder(world, params['public_id'] ?? '')
          return presentForOperator(world, stepOrProblem(world, order, name, body.reason ?? null))
        }),
      )
    },
  }),
)

/** A refused step says where the order stands and what that allows (STATE-07). */
function stepOrProblem(world: Environment, order: Order, name: OrderStepName, reason: string | null): Order {
  try {
    return takeStep(world, order, name, reason)
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'conflict') throw error
    throw new Problem(409, error.message, {
      members: { code: error.code, state: order.status, steps: stepsNow(world, order) },
    })
  }
}

function requireOrder(world: Environment, publicId: string): Order {
  const order = findOrder(world, publicId)
  if (!order) throw new Problem(404, 'there is no such order in this world')
  return order
}

/** An order as its partner sees it, whose it is, and what an operator may do with it now. */
function presentForOperator(world: Environment, order: Order) {
  const { timeline, ...facts } = presentOrder(world, order)
  return { ...facts, partner_id: order.partnerId, steps: stepsNow(world, order), timeline }
}

/** By the world's own rules, so that a sandbox with a defect offers what it will really do. */
function stepsNow(world: Environment, order: Order): OrderStepName[] {
  return OPERATOR_STEPS.filter((name) =>
    startsIn(name, world.rules.steps[name].from, world.gaps).includes(order.status),
  )
}

export const orderRoutes = [list, show, ...steps]
