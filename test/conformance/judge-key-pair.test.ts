import { describe, expect, it, onTestFinished } from 'vitest'
import { keyPair } from '../../src/conformance/format/expectations/named-judges.ts'
import { startShop } from '../support/fake-shop.ts'
import { checksThat, fakeTarget, judge, scenario, targetOf } from '../support/referee.ts'

const KEY_PAIR = scenario({
  proves: ['CRED-01'],
  steps: [
    {
      id: 'read',
      call: { op: 'availability', query: { domain: '${unlisted.domain}' } },
      expect: { judge: 'key_pair', shows: 'CRED-01' },
    },
  ],
})

describe('a key pair', () => {
  it.each([
    ['pk_test_1', 'sk_test_1'],
    ['pk_staging2_a_b', 'sk_staging2_x'],
  ])('%s with %s carries one word', (keyId, secret) => {
    expect(keyPair({ keyId, secret })).toBeNull()
  })

  it.each([
    ['pk_test_1', 'sk_live_1', 'another word than the key id'],
    ['pk_test_1', 'test_1', 'no sk_ at its start'],
    ['pk_test_1', 'sk_test_', 'another word than the key id'],
    ['pk_test', 'sk_test_1', 'does not start with pk_, a word and an underscore'],
  ])('%s with %s does not, and the secret is not in the words', (keyId, secret, words) => {
    const complaint = keyPair({ keyId, secret })
    expect(complaint).toMatchObject({ verdict: 'fail', actual: expect.stringContaining(words) })
    expect(complaint?.actual).not.toContain(secret)
  })

  it('fails beside an accepted call, and proves nothing beside a refused one', async () => {
    const shop = await startShop()
    onTestFinished(() => shop.close())
    const run = async (at: Parameters<typeof targetOf>[0], secret: string) =>
      judge(targetOf({ ...at, secret }), [KEY_PAIR])
    expect(checksThat(await run(shop, 'sk_test_any'), 'pass')).toEqual(['test/one read CRED-01'])
    expect(checksThat(await run(shop, 'sk_live_any'), 'fail')).toEqual(['test/one read CRED-01'])
    expect(checksThat(await run(await fakeTarget(), 'sk_live_any'), 'inconclusive')).toEqual(['test/one read CRED-01'])
  })
})
