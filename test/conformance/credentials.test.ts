import { describe, expect, it, onTestFinished } from 'vitest'
import { createCredentials } from '../../src/conformance/context/credentials.ts'
import type { Run } from '../../src/conformance/context/run.ts'
import type { Expectation } from '../../src/conformance/format/expectations/expectation.ts'
import type { CredentialChoice } from '../../src/conformance/format/scenario.ts'
import { callOf, OPERATIONS } from '../../src/conformance/format/step-facts.ts'
import { notesTogether } from '../../src/conformance/result/lacking-scopes.ts'
import { partsOfNote } from '../../src/conformance/result/target-addition.ts'
import { startShop } from '../support/fake-shop.ts'
import { judge, scenario, targetOf } from '../support/referee.ts'
import { scenarios } from '../support/suite.ts'

const KEYS = [
  { name: 'main', key_id: 'pk_test_main', secret: 'sk_test_main', scopes: ['search', 'buy'], partner: 'a' },
  { name: 'other', key_id: 'pk_test_other', secret: 'sk_test_other', scopes: ['buy'], partner: 'b' },
]

/** Who called, when a step is to be made without the scope search, which every key of the main partner holds. */
async function callersOf(expectation: Expectation): Promise<{ keys: unknown[]; reason: string | undefined }> {
  const shop = await startShop()
  onTestFinished(() => shop.close())
  const call = { op: 'availability' as const, query: { domain: '${unlisted.domain}' } }
  const steps = [
    { id: 'without', as: { without: 'search' as const }, call, expect: { ...expectation, shows: 'SCOPE-01' } },
  ]
  const { scenarios } = await judge(targetOf(shop, { credentials: KEYS }), [scenario({ proves: ['SCOPE-01'], steps })])
  const keys = new Set(shop.requests.map(({ headers }) => headers['x-partner-key-id']))
  return { keys: [...keys].sort(), reason: scenarios[0]?.checks[0]?.reason }
}

describe('a key that lacks a scope', () => {
  it('may be that of another partner where nothing but the scope is asked about', async () => {
    expect(await callersOf({ refused: 'forbidden' })).toMatchObject({ keys: ['pk_test_main', 'pk_test_other'] })
  })

  it('has to be the main partner’s where the answer could depend on whose it is', async () => {
    expect(await callersOf({ accepted: true })).toEqual({ keys: ['pk_test_main'], reason: 'needs-scope' })
  })
})

describe('another key', () => {
  const main = { name: 'main', key_id: 'pk_test_1', secret: 'sk_test_1', partner: 'a' }
  const own = { name: 'reads', key_id: 'pk_test_2', secret: 'sk_test_2', partner: 'a' }
  const foreign = { name: 'other', key_id: 'pk_test_3', secret: 'sk_test_3', partner: 'b' }
  const found = (...credentials: unknown[]) => {
    const target = targetOf({ url: 'http://127.0.0.1:9', keyId: '', secret: '' }, { credentials })
    return createCredentials({ target } as Run).called('another_key').name
  }

  it('is one of the same partner where it has one, and else that of another partner', () => {
    expect(found(main, foreign, own)).toBe('reads')
    expect(found(main, foreign)).toBe('other')
  })

  it('is missed where main is the only one', () => {
    expect(() => found(main)).toThrow('no credential of a second partner')
  })
})

it('what a file lacks for another environment is said once: a key with every scope that a scenario asks of it', () => {
  const target = targetOf({ url: 'http://127.0.0.1:9', keyId: '', secret: '' }, { credentials: KEYS })
  let note = ''
  try {
    createCredentials({ target } as Run).pick('other_environment')
  } catch (error) {
    note = (error as Error).message
  }
  const { credentials } = partsOfNote(note).addition as { credentials: { scopes: readonly string[] }[] }
  const steps = scenarios.flatMap(({ scenario: { steps, cleanup = [] } }) => [...steps, ...cleanup])
  const needed = steps.flatMap((step) => {
    const op = callOf(step)?.op ?? (step.events ? 'events.list' : undefined)
    return op === undefined || step.as !== 'other_environment' ? [] : [OPERATIONS[op].scopes]
  })
  expect(needed.length).toBeGreaterThan(10)
  expect(needed.filter((scopes) => !scopes.some((scope) => credentials[0]?.scopes.includes(scope)))).toEqual([])
})

it('a key that is there and lacks scopes is told all that a scenario needs of it', async () => {
  const shop = await startShop()
  onTestFinished(() => shop.close())
  const steps = [
    { call: { op: 'brokerage.list' as const }, expect: { accepted: true as const, shows: 'BRKL-01' } },
    { call: { op: 'links.list' as const } },
    { as: 'other_partner' as const, call: { op: 'availability' as const, query: { domain: '${unlisted.domain}' } } },
  ]
  const one = scenario({ proves: ['BRKL-01'], needs: ['scope.refer', 'scope.embed'], steps })
  const result = await judge(targetOf(shop, { credentials: KEYS }), [one])
  expect(result.scenarios[0]?.checks).toMatchObject([
    {
      reason: 'needs-scope',
      note: 'the credential main needs the scope report for brokerage.list and the scope refer for links.list and the scope embed; the credential other needs the scope search for availability',
    },
  ])
})

it('what the scenarios of a run miss of a key is said together, and once', () => {
  const notes = [
    'the credential main needs the scope search or buy for orders.list',
    'the credential main needs the scope report for brokerage.list and the scope refer for links.list',
    'no receiver is configured; add one',
    'the credential main needs the scope report for me.clicks; the credential other needs the scope buy',
    'the credential main needs the scope buy',
    'no receiver is configured; add one',
  ]
  expect(notesTogether(notes)).toEqual([
    'the credential main needs the scope report and the scope refer and the scope buy',
    'the credential other needs the scope buy',
    'no receiver is configured; add one',
  ])
})

it('a key without any scope may be something that the target does not have', () => {
  const target = targetOf({ url: 'http://127.0.0.1:9', keyId: '', secret: '' }, { credentials: KEYS })
  const picked = (choice: CredentialChoice) => createCredentials({ target } as Run).pick(choice)
  expect(() => picked({ only: 'none' })).toThrow(expect.objectContaining({ reason: 'open-point' }))
  expect(() => picked({ only: 'report' })).toThrow(expect.objectContaining({ reason: 'needs-scope' }))
})

it.each([
  ['other', ['buy']],
  ['unlinked', ['search', 'buy', 'refer', 'report']],
])('another partner is %s where a key that is linked to no account has the scopes %o', (name, scopes) => {
  const unlinked = {
    name: 'unlinked',
    key_id: 'pk_test_3',
    secret: 'sk_test_3',
    partner: 'c',
    scopes,
    affiliate: false,
  }
  const target = targetOf({ url: 'http://127.0.0.1:9', keyId: '', secret: '' }, { credentials: [unlinked, ...KEYS] })
  expect(createCredentials({ target } as Run).pick('other_partner').name).toBe(name)
})
