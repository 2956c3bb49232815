import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { loadScenarios } from '../../src/conformance/format/load-scenarios.ts'
import { registry } from '../support/referee.ts'
import { tempFolder } from '../support/temp-folder.ts'

function messagesOf(text: string): string[] {
  const file = join(tempFolder(), 'one.yaml')
  writeFileSync(file, text)
  return loadScenarios(file, registry).problems.map(({ message }) => message)
}

const MADE = `title: A scenario whose values lead somewhere
proves: [ORD-01]
vars: { key: "\${uuid}", later: "\${vars.key}" }
steps:
  - id: made
    call: { op: orders.create }
    expect: { accepted: true, shows: ORD-01 }
  - id: told
    events: { type: order.recorded, where: { data.order.public_id: "\${made.order.public_id}" } }
  - id: page
    page: { open: "\${listed.domain}" }
  - operator: { payout: all }
    id: paid
  - call: { op: orders.list, query: { q: "\${VALUE}" } }
`

it.each([
  ['made.order.public_idd', '"order.public_idd" in ${V} is not a role; did you mean "order.public_id"?'],
  ['made.ordr.public_id', '"ordr.public_id" in ${V} is not a role; did you mean "order.public_id"?'],
  ['made.order.domain.name', '"order.domain.name" in ${V} leads nowhere: order.domain is one value'],
  [
    'made.orders.items[0].order.statsu',
    '"orders.items[0].order.statsu" in ${V} is not a role; did you mean "order.status"?',
  ],
  ['made.found.order.publc_id', '"found.order.publc_id" in ${V} is not a role; did you mean "order.public_id"?'],
  ['told.event.data.order.statuss', /leads nowhere: no event has .*; did you mean "data.order.status"\?$/],
  ['told.data.order.status', /is not of events, which have .*: say event.data$/],
  ['told.delivery.sined', '"delivery.sined" in ${V} is not a delivery fact; did you mean "signed"?'],
  ['page.page.titel', '"page.titel" in ${V} is not a page fact; did you mean "page.title"?'],
  ['paid.status', '"status" in ${V} has no value: a step with operator makes none'],
  ['listed.domian', /^"domian" in .* is not of listed, which has .*; did you mean "domain"\?$/],
  ['listed', '"listed" in ${V} needs a part: domain, label, price, currency'],
  ['receiver.second.urll', /"urll" in .* is not of receiver, which has url, secret; did you mean "url"\?$/],
  ['status.refundet', /is not of status, which has held, refunded, cancelled; did you mean "refunded"\?$/],
  ['vars.kye', 'no such var: "kye"; did you mean "key"?'],
])('a scenario with ${%s} is refused', (value, problem) => {
  const told = typeof problem === 'string' ? problem.replace('V', () => value) : expect.stringMatching(problem)
  expect(messagesOf(MADE.replace('VALUE', value))).toEqual([told])
})

it.each([
  ...[
    'made.order.publicid',
    'made.order.statuses',
    'made.order.buyer.email',
    'made.order.updated_at',
    'made.order.items',
    'made.cases.items[0].case_id',
  ],
  ...[
    'made.links.items[0].link_id',
    'made.order.price_cents',
    'made.order.state',
    'made.statements.items[0].orders[0]',
  ],
  ...['made.order.public_id.altered', 'made.order.note', 'made.body.any.thing', 'made.request.buyer.email'],
  ...['made.status', 'made.sum.ledger.amount', 'made.orders.items.length', 'made.listing.metadata.color'],
  ...['told.event.data.order.note', 'told.events[1].id', 'told.count', 'told.delivery.headers.date', 'page.page.title'],
  ...[
    'page.status',
    'sellable',
    'sellable[2].price',
    'uuid',
    'run',
    'receiver.second.url',
    'model.brokerage',
    'now - 3d',
  ],
])('a scenario with ${%s} is taken', (value) => {
  expect(messagesOf(MADE.replace('VALUE', value))).toEqual([])
})

it('makes vars of what is known before the first step', () => {
  const uid = '"uid" in ${uid} is neither an earlier step nor a fixture; did you mean "uuid"?'
  expect(messagesOf(MADE.replace('${uuid}', '${uid}').replace('VALUE', 'run'))).toEqual([uid])
  expect(messagesOf(MADE.replace('${uuid}', '${vars.later}').replace('VALUE', 'run'))).toEqual([
    'the var "later" is made later',
  ])
  expect(messagesOf(MADE.replace('${uuid}', '${made.order.public_id}').replace('VALUE', 'run'))).toEqual([
    expect.stringMatching(/^"made" in .* is neither an earlier step nor a fixture/),
  ])
})

it.each([
  ['roles: { order.sale_price_cents: "30000" }', 'order.sale_price_cents is a number, not "30000"'],
  ['roles: { listing.available: yes }', 'listing.available is true or false, not "yes"'],
  ['roles: { listing.price: { at_least: "1" } }', 'listing.price is a number, not "1"'],
  ['roles: { quote.price: { one_of: [1, "2"] } }', 'quote.price is a number, not "2"'],
  ['headers: { retry-after: 1 }', 'retry-after is a string, not 1'],
  ['headers: { retry-after: { at_most: 60 } }', 'retry-after is a string, not 60'],
  ['items: orders.items, count: many', 'count is a number, not "many"'],
  [
    'roles: { order.sale_price_cents: 30000, listing.price: "${made.listing.price}", listing.available: { present: true } }',
  ],
  ['headers: { retry-after: { matches: "^[0-9]+$" }, date: { present: true } }'],
])('a scenario that expects %s compares what can be alike', (expected, ...problems) => {
  const text = MADE.replace('VALUE', 'run').trimEnd()
  expect(messagesOf(`${text}\n    expect: { ${expected} }\n`)).toEqual(problems)
})
