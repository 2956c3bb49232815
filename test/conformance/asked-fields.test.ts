import { expect, it } from 'vitest'
import { choicesIn, complaintIn, withFieldsAskedFor } from '../../src/conformance/dialect/asked-fields.ts'
import type { Step } from '../../src/conformance/format/scenario.ts'
import { partsOfNote } from '../../src/conformance/result/target-addition.ts'
import { judge, scenario } from '../support/referee.ts'
import { answerJson, scriptedTarget } from '../support/scripted-target.ts'

const asks = (json: unknown) => complaintIn(json).missing

it('finds the fields that a refusal asks for, however it names them', () => {
  expect(
    asks({ errors: [{ status: '400', code: 'validation_error', message: 'item.domainName is required.' }] }),
  ).toEqual(['item.domainName'])
  expect(asks({ code: 'validation_error', message: "must have required property 'domainName'" })).toEqual([
    'domainName',
  ])
  expect(asks({ code: 'validation_error', errors: { domainName: ['is required'] } })).toEqual(['domainName'])
  expect(asks({ issues: [{ path: ['item', 'domainName'], message: 'Required' }] })).toEqual(['item.domainName'])
  expect(asks({ detail: [{ loc: ['body', 'domain_name'], msg: 'Field required', type: 'missing' }] })).toEqual([
    'domain_name',
  ])
  expect(asks({ errors: [{ code: 'required', message: 'This field is required.', attr: 'buyer.country' }] })).toEqual([
    'buyer.country',
  ])
  expect(asks({ message: 'Two members are at fault: listing is required; kind is missing' })).toEqual([
    'listing',
    'kind',
  ])
  expect(asks({ message: 'Missing required fields: domainName' })).toEqual(['domainName'])
  for (const message of [
    'Invalid value of the field domainName: this is required',
    'Validation failed for domainName: is required',
  ])
    expect(asks({ message })).toContain('domainName')
  expect(asks({ fault: { message: 'Refused.', details: [{ member: 'listing', problem: 'is required' }] } })).toEqual([
    'listing',
  ])
  expect(asks({ message: 'linkType must be one of generic, domain, product; domainName is required' })).toEqual([
    'linkType',
    'domainName',
  ])
})

it('finds no fields in a refusal that names none, nor in what is no name of a field', () => {
  expect(asks({ code: 'validation_error', message: 'The body must be a JSON object.' })).toEqual([])
  expect(asks({ field: '__proto__.x', message: 'missing' })).toEqual([])
  expect(complaintIn({ message: 'Unknown field: return_url' }).unknown).toEqual(['return_url'])
})

it('puts what is asked for in the place of the field that has the same value', () => {
  const asking = (message: string) => ({ code: 'validation_error', message })
  expect(withFieldsAskedFor('quote', { domain: '${domain}' }, asking('domainName is required.'))).toEqual({
    domainName: '${domain}',
  })
  expect(
    withFieldsAskedFor('checkout', { domain: '${domain}', return_url: 'x' }, asking('item.domainName is required.')),
  ).toEqual({ return_url: 'x', item: { domainName: '${domain}' } })
  expect(withFieldsAskedFor('link', { kind: 'generic' }, asking('linkType must be one of generic, domain.'))).toEqual({
    linkType: 'generic',
  })
  expect(withFieldsAskedFor('checkout', { items: '${domain}' }, asking('items must be a list of one item'))).toEqual({
    items: [{ domain: '${domain}' }],
  })
  expect(
    withFieldsAskedFor(
      'quote',
      { domain: '${domain}', note: 'x' },
      asking('note is not allowed; currency is required'),
    ),
  ).toEqual({ domain: '${domain}', currency: '${currency}' })
})

it('takes the field that is named beside a clause for its subject, and not what the clause explains it by', () => {
  const problem = { fieldErrors: [{ field: 'publicId', message: 'is required: the public_id of the order' }] }
  expect(withFieldsAskedFor('refund', { public_id: '${public_id}' }, problem)).toEqual({ publicId: '${public_id}' })
})

it('changes nothing where it cannot tell what a field holds', () => {
  const refusal = { code: 'validation_error', message: 'warehouse is required.' }
  expect(withFieldsAskedFor('quote', { domain: '${domain}' }, refusal)).toBeNull()
})

it('takes the one field that is asked for as what the body is about, where its name says nothing and the body lacks that', () => {
  const asking = (message: string) => ({ code: 'validation_error', message })
  expect(withFieldsAskedFor('quote', {}, asking('d is required.'))).toEqual({ d: '${domain}' })
  expect(withFieldsAskedFor('refund', {}, asking('o is required.'))).toEqual({ o: '${public_id}' })
  expect(withFieldsAskedFor('quote', { domain: '${domain}' }, asking('d is required.'))).toBeNull()
  expect(withFieldsAskedFor('quote', {}, asking('d is required; e is required.'))).toBeNull()
})

const N_LIKE = {
  code: 'validation_error',
  message: 'public_id: is not a known field; known are order_public_id, reason; order_public_id: must not be null',
  errors: [
    { field: 'public_id', reason: 'is not a known field; known are order_public_id, reason' },
    { field: 'order_public_id', reason: 'must not be null' },
    { field: 'reason', reason: 'must be one of BUYER_REQUEST, FRAUD' },
  ],
}

it('takes the first of the words that a field may hold, or the one that is meant', () => {
  expect(withFieldsAskedFor('refund', { public_id: '${public_id}' }, N_LIKE)).toEqual({
    order_public_id: '${public_id}',
    reason: 'BUYER_REQUEST',
  })
  const kinds = { message: 'linkType must be one of GENERIC, DOMAIN, PRODUCT' }
  expect(withFieldsAskedFor('link_product', { kind: 'product' }, kinds)).toEqual({
    kind: 'product',
    linkType: 'PRODUCT',
  })
})

it('makes an amount of a number that has to be an object', () => {
  const refusal = { message: 'budget: must be an object {amount, currency}' }
  expect(withFieldsAskedFor('brokerage', { tier: 'managed', budget: 250_000 }, refusal)).toEqual({
    tier: 'managed',
    budget: { amount: 250_000, currency: '${currency}' },
  })
})

it.each([
  { message: 'item: must be an object' },
  { errors: [{ path: ['item'], message: 'Invalid input: expected object, received string' }] },
  { message: '/item must be object' },
])('has an object with the domain where one is asked for: %j', (refusal) => {
  const repaired = { return_url: 'x', item: { domain: '${domain}' } }
  expect(withFieldsAskedFor('checkout', { domain: '${domain}', return_url: 'x' }, refusal)).toEqual(repaired)
  expect(withFieldsAskedFor('checkout', { item: '${domain}', return_url: 'x' }, refusal)).toEqual(repaired)
  expect(withFieldsAskedFor('checkout', repaired, refusal)).toBeNull()
  expect(withFieldsAskedFor('checkout', repaired, { message: 'item.domainName is required' })).toEqual({
    return_url: 'x',
    item: { domainName: '${domain}' },
  })
  const link = { kind: 'domain', target: '${domain}' }
  const asked = { details: [{ member: 'target', problem: 'is an object' }] }
  expect(withFieldsAskedFor('link_domain', link, asked)).toEqual({ kind: 'domain', target: { domain: '${domain}' } })
})

it.each([
  ['status is not valid. Valid values are A, B or ON_HOLD. Please review them.', ['A', 'B', 'ON_HOLD']],
  ['must be one of: HELD (under review), "CLAWED_BACK"', ['HELD', 'CLAWED_BACK']],
  ['is not an allowed value, must be one of [FRAUD, DUPLICATE]', ['FRAUD', 'DUPLICATE']],
  ['must be one of your orders', []],
  ['allowed values: any listed domain', []],
  ['At least one of domain_name or listing_id is required.', []],
])('reads a list of words where it is one: %s', (text, words) => {
  expect(choicesIn(text)).toEqual(words)
})

it('keeps a field whose value was refused, and what stands for a value that the target knows', () => {
  const order = { domain: '${domain}', currency: '${currency}' }
  expect(withFieldsAskedFor('order', order, { message: 'currency is not a supported currency' })).toBeNull()
  expect(withFieldsAskedFor('order', order, { message: 'currency must be one of USD, EUR' })).toBeNull()
  const tier = { field: 'tier', message: 'managed is not a known tier. Valid values are MANAGED, SELF_SERVE' }
  expect(withFieldsAskedFor('brokerage', { tier: 'managed' }, { errors: [tier] })).toEqual({ tier: 'MANAGED' })
})

const KEY = { name: 'main', key_id: 'pk_test_1', secret: 'sk_test_1', scopes: ['search', 'embed'] }

it.each([
  ['a field that is missing', 'item is required.', 'item: must be an object with the listing that is bought.'],
  ['one and the same thing', 'item: must be an object.', 'item: must be an object.'],
])(
  'the advice for a body that a target never takes has the object that it asked for, where it names %s',
  async (_, first, then) => {
    const message = (body: { item?: unknown }) => {
      if (body.item === undefined) return first
      return typeof body.item === 'string'
        ? then
        : 'item.warehouse is required: the code of one of your own warehouses.'
    }
    const target = await scriptedTarget(
      (request, response) => {
        const { pathname, searchParams } = new URL(request.url ?? '/', 'http://target.test')
        if (request.method !== 'POST')
          return answerJson(response, 200, { domain: searchParams.get('domain'), available: true, price_cents: 1000 })
        const pieces: Buffer[] = []
        request.on('data', (piece: Buffer) => pieces.push(piece))
        request.on('end', () => {
          const body = pathname.endsWith('/checkout-session') ? JSON.parse(Buffer.concat(pieces).toString()) : {}
          answerJson(response, 400, { code: 'validation_error', message: message(body) })
        })
      },
      { fixtures: { sellable: ['a.test', 'b.test'] }, credentials: [KEY] },
    )
    const steps: Step[] = [{ call: { op: 'checkout.create' }, expect: { accepted: true, shows: 'CHK-01' } }]
    const { scenarios } = await judge(target, [scenario({ proves: ['CHK-01'], needs: ['fixture.sellable'], steps })])
    const { reason, note = '' } = scenarios[0]?.checks[0] ?? {}
    expect(reason).toBe('needs-dialect')
    expect(partsOfNote(note).addition).toMatchObject({
      dialect: { bodies: { checkout: { item: { domain: '${domain}' } } } },
    })
  },
)
