import type { EndpointId } from '../../contract/endpoints.ts'
import type { EventType } from '../../contract/event-types.ts'
import type { GapChoices } from '../../contract/gaps.ts'
import { paredData } from '../../contract/pared-facts.ts'
import { inStates, stateNames } from '../../contract/wire-names.ts'
import { wireNamesOf } from '../wire/wire-names.ts'
import { deliveryExample, EXAMPLES } from './examples.ts'

/** The example of an answer as the choices have it; nothing where there is none. */
export function answerExampleOf(id: EndpointId, gaps: GapChoices): unknown {
  const { answer } = EXAMPLES[id]
  return wireNamesOf(gaps)?.answer(id, answer) ?? answer
}

/** The example of a body as the choices have it; nothing where there is none. */
export function bodyExampleOf(id: EndpointId, gaps: GapChoices): unknown {
  const { body } = EXAMPLES[id]
  if (id !== 'orders.create') return body
  const order = body as { expected_price: number }
  return {
    ...order,
    ...(gaps['expected-price-unit'] === 'units' && { expected_price: order.expected_price / 100 }),
    ...(gaps['order-required-fields'].includes('return_url') && ADDRESSES),
  }
}

const ADDRESSES = { return_url: 'https://shop.example.com/thanks', cancel_url: 'https://shop.example.com/basket' }

export function deliveryExampleOf(type: EventType, gaps: GapChoices): unknown {
  const { data, ...envelope } = deliveryExample(type) as { data: unknown }
  return inStates({ ...envelope, data: paredData(data, gaps) }, stateNames(gaps))
}
