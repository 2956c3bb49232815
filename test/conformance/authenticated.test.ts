import { describe, expect, it } from 'vitest'
import type { Step } from '../../src/conformance/format/scenario.ts'
import { SENT_AGAIN } from '../../src/conformance/result/result.ts'
import type { FakeOptions } from '../support/fake-target.ts'
import { fakeTarget, judge, scenario, targetOf } from '../support/referee.ts'
import { answerJson, scriptedTarget } from '../support/scripted-target.ts'

const PRICING_OF_UNLISTED = { op: 'pricing', query: { domain: 'nowhere.example' } } as const

async function checkOf(step: Omit<Step, 'id'>, options: FakeOptions = {}) {
  const fake = await fakeTarget(options)
  const one = scenario({ proves: ['CANON-01'], steps: [{ id: 'one', ...step }] })
  const { scenarios } = await judge(targetOf(fake), [one])
  return { check: scenarios[0]?.checks[0], requests: fake.requests }
}

describe('a call that is expected to be authenticated', () => {
  const expected = { authenticated: true, shows: 'CANON-01' }

  it('passes where it is accepted, and costs nothing more', async () => {
    const { check, requests } = await checkOf({ call: { op: 'events.list' }, expect: expected })
    expect(check).toMatchObject({ verdict: 'pass', actual: '200', expected: 'not refused for its signature' })
    expect(requests.filter(({ target }) => target.includes('/events'))).toHaveLength(1)
  })

  it('passes where it is refused for what it asks for and a wrong signature is refused as such', async () => {
    const { check, requests } = await checkOf({ call: PRICING_OF_UNLISTED, expect: expected })
    expect(check).toMatchObject({ verdict: 'pass', note: 'wrongly signed, the same call was answered 401' })
    expect(requests.filter(({ target }) => target.includes('/pricing'))).toHaveLength(2)
  })

  it('fails where its signature is refused', async () => {
    const { check } = await checkOf({ call: PRICING_OF_UNLISTED, expect: expected }, { fault: 'refuses-everything' })
    expect(check).toMatchObject({ verdict: 'fail', actual: expect.stringContaining('401 invalid_signature') })
  })

  it('is inconclusive where a wrong signature makes no difference', async () => {
    const nowhere = { method: 'GET', target: '/api/partner/v1/nowhere' }
    const { check } = await checkOf({ call: nowhere, expect: expected }, { fault: 'accepts-everything' })
    expect(check).toMatchObject({
      verdict: 'inconclusive',
      note: 'it is unknown whether the signature was accepted: wrongly signed, the same call was answered 404',
    })
  })
})

describe('a refusal of authentication', () => {
  it('is shown by a twin that is refused for what it asks for', async () => {
    const { check } = await checkOf({
      call: PRICING_OF_UNLISTED,
      fault: { signature: 'flip_bit' },
      expect: { refused: 'invalid_signature', shows: 'CANON-01' },
    })
    expect(check).toMatchObject({ verdict: 'pass', twin: 'the valid twin was answered 404' })
  })

  it('that does not come is a failure where the target looks at signatures before it refuses such a call', async () => {
    const fake = await fakeTarget({ fault: 'nonce-untracked' })
    const steps: Step[] = [
      { id: 'first', call: PRICING_OF_UNLISTED, expect: { refused: 'not_found' } },
      { id: 'copy', call: { again: 'first' }, expect: { refused: 'replay_detected', shows: 'NONCE-01' } },
    ]
    const { scenarios } = await judge(targetOf(fake), [scenario({ proves: ['NONCE-01'], steps })])
    expect(scenarios[0]?.checks).toMatchObject([{ verdict: 'fail', actual: expect.stringContaining('404 not_found') }])
  })

  it('of a copy is an exchange of its own beside that of the call', async () => {
    const steps: Step[] = [
      { id: 'first', call: PRICING_OF_UNLISTED, expect: { refused: 'not_found', shows: 'ERR-01' } },
      { id: 'copy', call: { again: 'first' }, expect: { refused: 'replay_detected', shows: 'NONCE-01' } },
    ]
    const all = scenario({ proves: ['ERR-01', 'NONCE-01'], steps })
    const { scenarios, exchanges } = await judge(targetOf(await fakeTarget()), [all], { transcript: 'all' })
    const [first, copy] = scenarios[0]?.checks ?? []
    const oddityOf = (id?: string | null) => exchanges.find((one) => one.id === id)?.oddity
    expect(first?.exchange).not.toBe(copy?.exchange)
    expect([oddityOf(first?.exchange), oddityOf(copy?.exchange)]).toEqual([undefined, SENT_AGAIN])
  })

  it('that does not come is no failure where the target refuses such a call before it looks at signatures', async () => {
    const { check } = await checkOf(
      {
        call: { method: 'GET', target: '/api/partner/v1/nowhere' },
        fault: { nonce: { raw: 'another' } },
        expect: { refused: 'replay_detected', shows: 'CANON-01' },
      },
      { fault: 'accepts-everything' },
    )
    expect(check).toMatchObject({ verdict: 'inconclusive', twin: 'the valid twin was answered 404' })
  })

  it('is what a call gets that sends none of the four headers', async () => {
    const { check, requests } = await checkOf({
      call: PRICING_OF_UNLISTED,
      fault: { auth_headers: 'drop' },
      expect: { refused: 'missing_credentials', shows: 'CANON-01' },
    })
    expect(check).toMatchObject({ verdict: 'pass', actual: expect.stringContaining('401 missing_credentials') })
    const [bare] = requests.filter(({ target }) => target.includes('/pricing'))
    expect(Object.keys(bare?.headers ?? {}).filter((name) => name.startsWith('x-partner'))).toEqual([])
  })
})

describe('a refusal for what a call asks for', () => {
  it('is no proof where the valid twin is refused alike', async () => {
    const { check } = await checkOf({
      call: PRICING_OF_UNLISTED,
      fault: { query: { set: { domain: 'elsewhere.example' } } },
      expect: { refused: 'not_found', shows: 'CANON-01' },
    })
    expect(check).toMatchObject({ verdict: 'inconclusive', twin: 'the valid twin was answered 404' })
  })
})

describe('a 429', () => {
  it('on a call whose nonce is fixed is not tried again, and judges nothing', async () => {
    const nonces: unknown[] = []
    const target = await scriptedTarget(({ headers }, response) => {
      const nonce = headers['x-partner-nonce']
      nonces.push(nonce)
      if (nonce !== 'fixed-nonce') return answerJson(response, 200, { events: [], next_cursor: null })
      answerJson(response, 429, { code: 'rate_limited', message: 'wait' }, { 'retry-after': '0' })
    })
    const step: Step = {
      id: 'one',
      call: { op: 'events.list' },
      fault: { nonce: { raw: 'fixed-nonce' } },
      expect: { accepted: true, shows: 'NONCE-09' },
    }
    const { scenarios } = await judge(target, [scenario({ proves: ['NONCE-09'], steps: [step] })])
    expect(scenarios[0]?.checks[0]).toMatchObject({
      verdict: 'inconclusive',
      note: 'the target kept answering 429',
    })
    expect(nonces.filter((nonce) => nonce === 'fixed-nonce')).toHaveLength(1)
  })
})

describe('an oversized body', () => {
  it('is valid JSON of just that many bytes', async () => {
    const { check, requests } = await checkOf({
      call: { op: 'quotes.create' },
      fault: { body: { oversized: 100_000 } },
      expect: { refused: true, shows: 'CANON-01' },
    })
    expect(check?.verdict).toBe('fail')
    const sent = requests.find(({ body }) => body.length === 100_000)
    expect(JSON.parse(sent?.body ?? '')).toEqual({ domain: expect.stringMatching(/^a+$/) })
  })
})
