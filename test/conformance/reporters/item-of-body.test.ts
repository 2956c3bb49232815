import { expect, it } from 'vitest'
import { aroundItem } from '../../../src/conformance/reports/html/item-of-body.ts'

const row = (at: number) => `{"id":"ord_${at}","price":1${at}0.00,"buyer":{"name":"Jo"}}`
const bodyOf = (from: number, to: number, rest = '"next":"c1"') =>
  `{"orders":[${Array.from({ length: to - from + 1 }, (_, at) => row(from + at)).join(',')}],${rest}}`

it('shows the item that a check names by its number, with what is around the list', () => {
  const around = aroundItem(bodyOf(1, 30), 'number 10 of 30 orders.items should not be there: order.id is "ord_7"')
  expect(around).toEqual({
    before: '{\n  "orders": [\n    … 9 items\n',
    item: '    {\n      "id": "ord_10",\n      "price": 1100.00,\n      "buyer": {\n        "name": "Jo"\n      }\n    },',
    after: '\n    … 20 items\n  ],\n  "next": "c1"\n}',
  })
})

it('knows the item of a later page by its values', () => {
  const item = (actual: string, body = bodyOf(51, 60)) => aroundItem(body, actual)?.item
  expect(item('number 53 of 60 orders.items: order.id is ord_53')).toContain('"ord_53"')
  expect(
    item('ledger.items: line 2 of 9 has 7000 and the balance 7000', '[{"a":7000,"b":1},{"a":7000,"b":7000}]'),
  ).toBe('  {\n    "a": 7000,\n    "b": 7000\n  }')
})

it('shows the item of a body whose end is missing', () => {
  const cut = `${bodyOf(51, 60).slice(0, -20)}… (20 bytes more)`
  expect(aroundItem(cut, 'number 54 of 80 orders.items: order.id is ord_54')?.item).toContain('"ord_54"')
})

it('shows none where the check names none, or no item of the answer is it', () => {
  expect(aroundItem(bodyOf(1, 3), 'none of 3 orders.items fits')).toBeNull()
  expect(aroundItem(bodyOf(1, 3), 'number 9 of 12 orders.items: order.id is ord_99')).toBeNull()
  expect(aroundItem('{"orders":[]}', 'number 1 of 1 events: id is evt_123')).toBeNull()
  expect(aroundItem('<h1>number 1 of 1</h1>', 'number 1 of 1 events')).toBeNull()
})
