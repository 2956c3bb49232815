import { createHash, createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { expectGreen, recorded } from '../../cli/recorded.ts'
import { openSession, payment, submit } from '../../support/checkout.ts'
import { register } from '../../support/hooks.ts'
import { accepts, startReceiver } from '../../support/receiver.ts'
import { advance, deliver, sellHosted, settle, step } from '../../support/sales.ts'
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts'

const WORLD = '/v1/worlds/default'
const LONG = { timeout: 40_000 }

const TARGET = "/domains/search?q=it's%20solar&limit=2"

interface Wrong {
  body?: true
  isKeyId?: true
  header?: (digest: Buffer) => string
  lines?: (lines: string[]) => string[]
  text?: (lines: string[]) => string
}

const lineAt =
  (at: number, change: (line: string) => string) =>
  (lines: string[]): string[] =>
    lines.with(at, change(lines[at] ?? ''))
const hex = (digest: Buffer) => digest.toString('hex')

/** One thing wrong each, and how scenarios say it. */
const MISTAKES: readonly { fault: unknown; wrong: Wrong }[] = [
  { fault: { signature: 'no_prefix' }, wrong: { header: hex } },
  { fault: { signature: 'upper_case' }, wrong: { header: (digest) => `v1=${hex(digest).toUpperCase()}` } },
  { fault: { signature: 'base64' }, wrong: { header: (digest) => `v1=${digest.toString('base64')}` } },
  { fault: { signature: 'truncate' }, wrong: { header: (digest) => `v1=${hex(digest).slice(0, 40)}` } },
  { fault: { signature: 'lengthen' }, wrong: { header: (digest) => `v1=${hex(digest)}00` } },
  { fault: { signature: { key: 'key_id' } }, wrong: { isKeyId: true } },
  { fault: { canonical: 'verb_lower' }, wrong: { lines: lineAt(0, (line) => line.toLowerCase()) } },
  { fault: { canonical: 'path_without_root' }, wrong: { lines: lineAt(1, () => '/domains/search') } },
  { fault: { canonical: 'query_unsorted' }, wrong: { lines: lineAt(2, () => 'q=it%27s%20solar&limit=2') } },
  { fault: { canonical: 'plus_for_space' }, wrong: { lines: lineAt(2, () => 'limit=2&q=it%27s+solar') } },
  { fault: { canonical: 'extra_unencoded' }, wrong: { lines: lineAt(2, () => "limit=2&q=it's%20solar") } },
  { fault: { canonical: 'query_empty' }, wrong: { lines: lineAt(2, () => '') } },
  { fault: { canonical: 'missing_query_line' }, wrong: { lines: (lines) => lines.toSpliced(2, 1) } },
  { fault: { canonical: 'lines_swapped' }, wrong: { lines: ([a, b, c, d, e, f]) => [a, b, c, e, d, f] as string[] } },
  { fault: { canonical: 'crlf' }, wrong: { text: (lines) => lines.join('\r\n') } },
  { fault: { canonical: 'trailing_newline' }, wrong: { text: (lines) => `${lines.join('\n')}\n` } },
  {
    fault: { canonical: 'body_empty' },
    wrong: { body: true, lines: lineAt(5, () => createHash('sha256').digest('hex')) },
  },
  { fault: { canonical: 'body_hash_upper' }, wrong: { body: true, lines: lineAt(5, (line) => line.toUpperCase()) } },
  {
    fault: { canonical: 'body_hash_base64' },
    wrong: { body: true, lines: lineAt(5, (line) => Buffer.from(line, 'hex').toString('base64')) },
  },
]

function fail(sandbox: TestSandbox, fault: Record<string, unknown>) {
  return sandbox.operate('POST', `${WORLD}/faults`, fault)
}

describe('a recorded history', () => {
  it('has the next calls fail where a fault of the operator made them fail', LONG, async () => {
    const sandbox = await startSandbox()
    const [listing] = await sandbox.forSale(1)
    const order = {
      domain: listing?.domain,
      expected_price: listing?.price_cents,
      currency: 'USD',
      buyer: { email: 'ada@example.test' },
    }
    await fail(sandbox, { effect: { status: 500 }, times: 2 })
    await sandbox.call({ path: '/orders', body: order, key: 'one' })
    await sandbox.call({ path: '/availability?domain=nowhere.example' })
    const made = await sandbox.call({ path: '/orders', body: order, key: 'one' })
    expect(made.status).toBe(201)
    await fail(sandbox, { effect: { code: 'internal_error' }, match: { endpoint: 'orders.detail' }, times: null })
    await sandbox.call({ path: '/orders' })
    await sandbox.call({ path: `/orders/${made.json.public_id}` })
    await sandbox.operate('DELETE', `${WORLD}/faults`)
    await sandbox.call({ path: `/orders/${made.json.public_id}` })
    const { err, file, scenario } = await recorded(sandbox)
    expect(err).toBe('')
    expect(scenario.steps.flatMap(({ operator }) => operator ?? [])).toEqual([{ fail_next: 2 }, { fail_next: 1 }])
    expect(scenario.proves).toContain('ERR-04')
    expect(await expectGreen(file)).toBeGreaterThan(4)
  })

  it('has calls about an ordinary domain fail where a magic name made them fail', LONG, async () => {
    const sandbox = await startSandbox()
    await sandbox.call({ path: '/pricing?domain=error-1.test' })
    await sandbox.call({ path: '/pricing?domain=error-1.test' })
    const { err, file, scenario } = await recorded(sandbox)
    expect(err).toBe('')
    expect(JSON.stringify(scenario)).not.toContain('error-1')
    await expectGreen(file)
  })

  it('leaves out other faults and names them', async () => {
    const sandbox = await startSandbox()
    await fail(sandbox, { effect: { status: 429 } })
    await sandbox.call({ path: '/availability?domain=nowhere.example' })
    await fail(sandbox, { effect: { garbage: true } })
    await sandbox.call({ path: '/availability?domain=nowhere.example', undocumented: true })
    await fail(sandbox, { effect: { delay_ms: 5 } })
    await sandbox.call({ path: '/availability?domain=nowhere.example' })
    await sandbox.operate('PUT', `${WORLD}/progress`, { complete_after: '1h' })
    const { err, scenario } = await recorded(sandbox)
    expect(scenario.steps).toHaveLength(1)
    expect(err.trimEnd().split('\n')).toEqual([
      `left out: the operator's POST /faults with the effect {"status":429}`,
      expect.stringMatching(/^left out: GET \/api\/partner\/v1\/availability \(req_\w+\): refused with 429 by a fault/),
      `left out: the operator's POST /faults with the effect {"garbage":true}`,
      expect.stringMatching(/^left out: GET .*: its answer was corrupted by a fault/),
      `left out: the operator's POST /faults with the effect {"delay_ms":5}`,
      "left out: the operator's PUT /progress",
    ])
  })

  it('pays a hosted checkout where the operator or the buyer did, and goes on with its order', LONG, async () => {
    const sandbox = await startSandbox()
    const { public_id: first } = await sellHosted(sandbox)
    await step(sandbox, first, 'complete-transfer')
    const session = await openSession(sandbox)
    await submit(session.checkout_url, payment(session))
    const { json } = await sandbox.call({ path: `/orders?domain=${session.domain}` })
    await step(sandbox, json.orders[0].public_id, 'complete-transfer')
    await settle(sandbox)
    await sandbox.call({ path: `/orders/${first}` })
    const { err, file, scenario } = await recorded(sandbox)
    expect(err).toBe('')
    const acts = scenario.steps.flatMap(({ operator }) => (operator ? [Object.entries(operator)[0]] : []))
    expect(acts).toEqual([
      ['pay_checkout', '${checkout_create_1.checkout.id}'],
      ['complete_transfer', '${sold_1.found.order.public_id}'],
      ['pay_checkout', '${checkout_create_2.checkout.id}'],
      ['complete_transfer', '${sold_2.found.order.public_id}'],
      ['settle', '${sold_2.found.order.public_id}'],
    ])
    expect(await expectGreen(file)).toBeGreaterThan(6)
  })

  it('pays late payments when they came through, and those of another partner as that partner', LONG, async () => {
    const sandbox = await startSandbox()
    const session = await openSession(sandbox)
    const pay = `${WORLD}/checkout-sessions/${session.session_id}/pay`
    await sandbox.operate('POST', pay, { buyer: { email: 'b+pays-late@example.test' } })
    await advance(sandbox, '2h')
    const { public_id: foreign } = await sellHosted(sandbox, { as: 'other-partner' })
    await step(sandbox, foreign, 'complete-transfer')
    await sandbox.call({ path: `/orders/${foreign}`, as: 'other-partner' })
    const { err, file, scenario } = await recorded(sandbox)
    expect(err).toMatch(/^left out: the operator's POST \/checkout-sessions\/cs_\w+\/pay\n$/)
    const acts = scenario.steps.flatMap(({ operator }) => Object.keys(operator ?? {}))
    expect(acts).toEqual(['advance_clock', 'pay_checkout', 'pay_checkout', 'complete_transfer'])
    expect(scenario.steps.find(({ id }) => id === 'sold_2')?.as).toBe('other_partner')
    await expectGreen(file)
  })

  it('expects at the receiver what was delivered', LONG, async () => {
    const sandbox = await startSandbox()
    const receiver = await startReceiver(accepts)
    await sandbox.sell()
    expect((await register(sandbox, receiver.url)).status).toBeLessThan(300)
    const { json } = await sandbox.sell()
    await deliver(sandbox, json.public_id)
    await receiver.has(3)
    const { err, file, scenario } = await recorded(sandbox)
    expect(err).toBe('')
    const received = scenario.steps.flatMap(({ events }) => (events?.hook === undefined ? [] : events))
    expect(received.map(({ type }) => type)).toEqual([
      'order.recorded',
      'order.transfer_started',
      'order.transfer_completed',
    ])
    expect(received.flatMap(({ where }) => Object.values(where ?? {}))).toEqual(
      Array(3).fill('${orders_create_2.order.public_id}'),
    )
    expect(scenario.proves).toContain('HOOK-02')
    await expectGreen(file)
  })

  it('records cases and links', LONG, async () => {
    const sandbox = await startSandbox()
    const body = { tier: 'managed', buyer_email: 'b@example.test', budget: 100_000 }
    const opened = await sandbox.call({ path: '/brokerage', body })
    await sandbox.call({ path: '/brokerage', body: { ...body, tier: 'golden' } })
    await sandbox.operate('POST', `${WORLD}/brokerage/${opened.json.case_id}/negotiate`, {})
    await sandbox.operate('POST', `${WORLD}/brokerage/${opened.json.case_id}/close-deal`, { price_cents: 50_000 })
    await sandbox.call({ path: `/brokerage/${opened.json.case_id}` })
    const other = await sandbox.call({ path: '/brokerage', body })
    await sandbox.operate('POST', `${WORLD}/brokerage/${other.json.case_id}/close-no-deal`, {})
    const [listing] = await sandbox.forSale(1)
    await sandbox.call({ path: '/links', body: { kind: 'generic' } })
    await sandbox.call({ path: '/links', body: { kind: 'domain', domain: listing?.domain } })
    await sandbox.call({ path: '/links', body: { kind: 'nothing' } })
    await sandbox.call({ path: '/links' })
    const { err, file, scenario } = await recorded(sandbox)
    expect(err).toMatch(/^left out: the operator's POST \/brokerage\/\S+\/negotiate\n$/)
    expect(scenario.proves).toEqual(expect.arrayContaining(['BRK-05', 'BRK-03', 'LINK-01']))
    await expectGreen(file)
  })

  it('names the price of a deal that was closed without one', LONG, async () => {
    const sandbox = await startSandbox()
    const body = { tier: 'managed', buyer_email: 'b@example.test', budget: 100_000 }
    const opened = await sandbox.call({ path: '/brokerage', body })
    const closed = await sandbox.operate('POST', `${WORLD}/brokerage/${opened.json.case_id}/close-deal`, {})
    const { file, scenario } = await recorded(sandbox)
    const price = closed.json.deal_price_cents
    expect(scenario.steps).toContainEqual({ operator: { close_deal: { case_id: expect.any(String), price } } })
    await expectGreen(file)
  })

  it('writes each mistake of signing as the fault that it is, and they are refused again', LONG, async () => {
    const sandbox = await startSandbox()
    const { secret = '', key_id: keyId = '' } = sandbox.credentials.find(({ name }) => name === 'main') ?? {}
    await sandbox.call({ path: TARGET })
    for (const { wrong } of MISTAKES) {
      const body = wrong.body ? { domain: 'stalls-1.test' } : undefined
      const { status } = await sandbox.call({
        path: wrong.body ? '/quotes' : TARGET,
        body,
        after({ method, target, headers, body: bytes }) {
          const [path = '', query = ''] = target.split('?')
          const lines = [
            method,
            path,
            query.split('&').sort().join('&').replaceAll("'", '%27'),
            headers['X-Partner-Timestamp'] ?? '',
            headers['X-Partner-Nonce'] ?? '',
            createHash('sha256').update(bytes).digest('hex'),
          ]
          const text = wrong.text?.(lines) ?? (wrong.lines?.(lines) ?? lines).join('\n')
          const digest = createHmac('sha256', wrong.isKeyId ? keyId : secret)
            .update(text)
            .digest()
          headers['X-Partner-Signature'] = wrong.header?.(digest) ?? `v1=${digest.toString('hex')}`
        },
      })
      expect(status).toBe(401)
    }
    const { err, file, scenario } = await recorded(sandbox)
    expect(err).toBe('')
    expect(scenario.steps.flatMap(({ fault }) => fault ?? [])).toEqual(MISTAKES.map(({ fault }) => fault))
    await expectGreen(file)
  })
})
