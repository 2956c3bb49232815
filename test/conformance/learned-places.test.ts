import { describe, expect, it } from 'vitest'
import { createDialect, type Dialect } from '../../src/conformance/dialect/dialect.ts'
import type { RoleName } from '../../src/conformance/format/roles.ts'
import type { Answer } from '../../src/conformance/http/exchange.ts'
import type { RoleAddress } from '../../src/conformance/target/target.ts'
import type { EndpointId } from '../../src/contract/endpoints.ts'
import { judge, scenario } from '../support/referee.ts'
import { answerJson, scriptedTarget } from '../support/scripted-target.ts'

function answer(op: EndpointId, json: unknown, status = 200): Answer {
  return { op, status, headers: [], body: Buffer.from(JSON.stringify(json)), json }
}

function taughtBy(...answers: Answer[]): Dialect {
  const dialect = createDialect({ roles: {} })
  for (const [n, each] of answers.entries()) dialect.learn(each, `e${n + 1}`)
  return dialect
}

function seen(dialect: Dialect, name: RoleName, { op, json }: Pick<Answer, 'op' | 'json'>): unknown {
  const found = dialect.find(name, { op, json })
  return found.found ? found.value : found.why
}

const ORDER = { public_id: 'ord_1', domain: 'a.test', status: 'SETTLED', sale_price_cents: 100, currency: 'USD' }
const { status: _status, ...WITHOUT_STATUS } = ORDER

describe('a place that no answer has shown', () => {
  it('is not looked for by whoever asks', () => {
    expect(seen(taughtBy(), 'quote.price', answer('quotes.create', { price_cents: 5 }))).toBe('absent')
  })

  it('is not shown by a refusal', () => {
    const dialect = taughtBy(answer('quotes.create', { price_cents: 5 }, 422))
    expect(seen(dialect, 'quote.price', answer('quotes.create', { price_cents: 5 }))).toBe('absent')
  })

  it('is not needed for the code of a refusal', () => {
    expect(seen(taughtBy(), 'error.code', answer('pricing', { fault: { reason: 'forbidden' } }, 403))).toBe('forbidden')
  })

  it('is not needed for a code that no documented condition has, under its documented name', () => {
    const fault = { code: 'method_not_allowed', message: 'Not with this verb.' }
    expect(seen(taughtBy(), 'error.code', answer('pricing', { ok: false, fault }, 405))).toBe('method_not_allowed')
    expect(seen(taughtBy(), 'error.message', answer('pricing', { ok: false, fault }, 405))).toBe('Not with this verb.')
    const two = { fault, cause: { code: 'verb', message: 'DELETE' } }
    expect(seen(taughtBy(), 'error.code', answer('pricing', two, 405))).toBe('absent')
  })
})

describe('the address of a page', () => {
  const link = { link: 'lnk_1', address: 'https://go.example/lnk_1' }

  it('is what has the form of one, whatever its name is', () => {
    expect(seen(taughtBy(), 'link.url', answer('links.create', { result: link }))).toBe('https://go.example/lnk_1')
    const made = { case_id: 'cas_1', follow: '/progress/1' }
    expect(seen(taughtBy(), 'case.progress_url', answer('brokerage.create', { case: made }))).toBe('/progress/1')
  })

  it('is not guessed where two have it', () => {
    const two = { ...link, picture: 'https://go.example/lnk_1.png' }
    expect(seen(taughtBy(), 'link.url', answer('links.create', { result: two }))).toBe('ambiguous')
  })
})

describe('a place that an answer has shown', () => {
  it('is the one of that operation alone', () => {
    const dialect = taughtBy(answer('pricing', { buy_now: '65.00' }))
    expect(seen(dialect, 'listing.price', answer('pricing', { buy_now: '70.00' }))).toEqual({
      amount: 70,
      unit: 'units',
    })
    expect(seen(dialect, 'listing.price', answer('availability', { buy_now: '70.00' }))).toBe('absent')
  })

  it('is where the role is missing from, with the exchange that showed it', () => {
    const dialect = taughtBy(answer('quotes.create', { data: { quoted_price: 5 } }))
    const found = dialect.find('quote.price', { op: 'quotes.create', json: { data: { token: 'x' } } })
    expect(found).toMatchObject({ found: false, detail: expect.stringContaining('in e1 it was /data/quoted_price') })
    expect(found).toMatchObject({ detail: expect.not.stringContaining('add to the target file') })
  })

  it('of an entry counts from the entry', () => {
    const dialect = taughtBy(answer('transactions.list', { rows: [{ sale: { amount_cents: 5 } }] }))
    expect(
      seen(dialect, 'transaction.amount', { op: 'transactions.list', json: { sale: { amount_cents: 7 } } }),
    ).toEqual({
      amount: 7,
      unit: 'cents',
    })
  })

  it('is read into an entry that was seen before it was known', () => {
    const unclear = { id: 'tx_1', amount: 4, price: 5 }
    const dialect = taughtBy(
      answer('transactions.list', { rows: [unclear] }),
      answer('transactions.list', { rows: [unclear] }),
      answer('transactions.list', { rows: [{ id: 'tx_2', amount: 6 }] }),
      answer('transactions.list', { rows: [unclear] }),
    )
    const later = { op: 'transactions.list', json: { id: 'tx_3', amount: 7, price: 8 } } as const
    expect(seen(dialect, 'transaction.amount', later)).toBe('ambiguous')
  })

  it('gives way to a likelier one that was empty before', () => {
    const dialect = taughtBy(
      answer('brokerage.detail', { case_id: 'c1', name: 'Jo Buyer', domain: null }),
      answer('brokerage.detail', { case_id: 'c2', name: 'Jo Buyer', domain: 'a.test' }),
    )
    expect(seen(dialect, 'case.domain', answer('brokerage.detail', { name: 'Jo Buyer', domain: 'b.test' }))).toBe(
      'b.test',
    )
  })

  it('is no guess where another that meant the same says something else', () => {
    const dialect = taughtBy(answer('pricing', { price: 5, sale_price: 5 }))
    expect(seen(dialect, 'listing.price', answer('pricing', { price: 5, sale_price: 4 }))).toBe('ambiguous')
  })

  it('settles what several rows would leave open', () => {
    const rows = {
      meta: { commission: 7 },
      data: [{ attributes: { commission: 3 } }, { attributes: { commission: 4 } }],
    }
    expect(
      seen(taughtBy(answer('transactions.list', rows)), 'transactions.commission', answer('transactions.list', rows)),
    ).toBe('ambiguous')
    const dialect = taughtBy(answer('transactions.list', { meta: { commission: 0 }, data: [] }))
    dialect.learn(answer('transactions.list', rows), 'e2')
    expect(seen(dialect, 'transactions.commission', answer('transactions.list', rows))).toEqual({
      amount: 7,
      unit: null,
    })
  })
})

describe('a role that the document names', () => {
  it('is missing where its neighbors are, whatever is called so elsewhere', () => {
    const lacking = answer('orders.create', { status: 'ok', order: WITHOUT_STATUS })
    const dialect = taughtBy(answer('orders.create', { status: 'ok', order: ORDER }), lacking)
    expect(seen(dialect, 'order.status', lacking)).toBe('absent')
  })

  it('is found in another layout of the same operation', () => {
    const bare = answer('orders.create', ORDER)
    const dialect = taughtBy(answer('orders.create', { order: ORDER }), bare)
    expect(seen(dialect, 'order.status', bare)).toBe('SETTLED')
  })
})

describe('a place that nothing but its name leads to', () => {
  it.each([
    ['statement.owed', '/amountOwed', false],
    ['statement.gross', '/totals/gross_sold_cents', false],
    ['clicks.total', '/data/total_clicks', false],
    ['statement.owed', '/owed', true],
    ['clicks.total', '/total', true],
    ['payouts.total', '/total_paid', true],
  ] as const)('%s at %s is a guess unless the document has these words: %s', (name, at, expected) => {
    expect(taughtBy().isGuessed(name, null, at)).toBe(expected)
  })

  it('is not a guess if the target file names it', () => {
    expect(createDialect({ roles: { 'statement.owed': '/owed' } }).isGuessed('statement.owed', null, '/owed')).toBe(
      false,
    )
  })
})

describe('a place that the target file names', () => {
  it('says its unit by its key, unless the file says another', () => {
    const paid = { op: 'payouts.list', json: { total_paid_cents: 5, total: 5 } } as const
    const read = (role: RoleAddress) => seen(createDialect({ roles: { 'payouts.total': role } }), 'payouts.total', paid)
    expect(read('/total_paid_cents')).toEqual({ amount: 5, unit: 'cents' })
    expect(read('/total')).toEqual({ amount: 5, unit: null })
    expect(read({ at: '/total_paid_cents', unit: 'units' })).toEqual({ amount: 5, unit: 'units' })
  })
})

it.each([
  ['compared', { 'sale.domain': 'a.example' }, 'fail'],
  ['only looked at', { 'sale.domain': { present: true } }, 'needs-dialect'],
] as const)('a list carries a failure once a value in it was %s', async (_, includes, expected) => {
  const credentials = [{ name: 'main', key_id: 'pk_test_1', secret: 'sk_test_1', scopes: ['report'] }]
  const target = await scriptedTarget(
    (_, response) => answerJson(response, 200, { sales: [{ domain: 'a.example' }] }),
    {
      credentials,
    },
  )
  const call = { op: 'me.sales' } as const
  const steps = [
    { id: 'looked', call, expect: { items: 'sales.items', includes } },
    { id: 'counted', call, expect: { items: 'sales.items', count: 5, shows: 'RPT-02' } },
  ]
  const { scenarios } = await judge(target, [scenario({ proves: ['RPT-02'], steps } as never)])
  expect(scenarios.flatMap(({ checks }) => checks.map(({ verdict, reason }) => reason ?? verdict))).toEqual([expected])
})
