import { describe, expect, it, onTestFinished } from 'vitest'
import { wallClock } from '../../src/clock/wall-clock.ts'
import { createCredentials } from '../../src/conformance/context/credentials.ts'
import type { Run } from '../../src/conformance/context/run.ts'
import { loadScenarios } from '../../src/conformance/format/load-scenarios.ts'
import type { Step } from '../../src/conformance/format/scenario.ts'
import type { Target } from '../../src/conformance/target/target.ts'
import { ownTarget, withMoreKeys } from '../../src/proof/self-test/own-target.ts'
import { startServer } from '../../src/server.ts'
import { judge, registry, scenario, targetOf } from '../support/referee.ts'

const { scenarios } = loadScenarios(['scenarios/auth/key-of-another-environment.yaml'], registry)

const nowhere = { url: 'http://127.0.0.1:9', keyId: '', secret: '' }
const key = (name: string, keyId: string, more: Record<string, unknown> = {}) => ({
  name,
  key_id: keyId,
  secret: `sk_${keyId.slice(3)}`,
  partner: name,
  ...more,
})

function targetWith(...credentials: unknown[]): Target {
  return targetOf(nowhere, { mode: 'write', credentials })
}

function pick(target: Target, choice: 'other_partner' | 'other_environment'): string {
  return createCredentials({ target } as Run).pick(choice).name
}

async function sandbox(): Promise<Target> {
  const server = await startServer({ port: 0, operatorPort: 0, wall: wallClock })
  onTestFinished(() => server.close())
  return ownTarget(server)
}

describe('a key whose id carries another environment word than that of main', () => {
  const main = key('main', 'pk_sandbox_1')

  it('is one of another environment, and stands in for no other partner', () => {
    const target = targetWith(main, key('foreign', 'pk_test_2'))
    expect(pick(target, 'other_environment')).toBe('foreign')
    expect(() => pick(target, 'other_partner')).toThrow('no credential of a second partner')
  })

  it('does not keep main from writing where it is a live one', () => {
    expect(targetWith(main, key('live', 'pk_live_2')).mode).toBe('write')
    expect(targetWith(key('main', 'pk_live_1'), key('other', 'pk_test_2')).mode).toBe('read')
  })

  it('is one of the same environment where the file says so, and a live one then forces read', () => {
    const same = { environment: 'one' }
    const target = targetWith(key('main', 'pk_sandbox_1', same), key('other', 'pk_live_2', same))
    expect(pick(target, 'other_partner')).toBe('other')
    expect(() => pick(target, 'other_environment')).toThrow('no credential of another environment')
    expect(target.mode).toBe('read')
  })
})

describe('CRED-02', () => {
  it('is shown by a key of another world, by reads alone', async () => {
    const target = await withMoreKeys(await sandbox())
    const { requirements, exchanges } = await judge(target, scenarios, { transcript: 'all' })
    expect(requirements.find(({ id }) => id === 'CRED-02')).toMatchObject({ status: 'shown' })
    const { keyId } = target.credentials.at(-1) ?? { keyId: '' }
    const theirs = exchanges.filter(({ requestHeaders }) => requestHeaders.some(([, value]) => value === keyId))
    expect(theirs.length).toBeGreaterThan(3)
    expect(new Set(theirs.map(({ method }) => method))).toEqual(new Set(['GET']))
  })

  it('is not counted where all keys are of one environment', async () => {
    const { requirements, profile } = await judge(await sandbox(), scenarios)
    expect(requirements.find(({ id }) => id === 'CRED-02')?.unobservable).toContain('keys of one environment')
    expect(profile.requirements).not.toContain('CRED-02')
  })

  describe('asked about with a write', () => {
    const call = { op: 'links.create' as const }
    const wrote: Step = { id: 'wrote', as: 'other_environment', call, expect: { accepted: true, shows: 'CRED-02' } }
    const checkOf = async (target: Target) => {
      const { scenarios: results } = await judge(target, [scenario({ proves: ['CRED-02'], steps: [wrote] })])
      return results[0]?.checks[0]
    }

    it('is carried out in mode operator', async () => {
      const target = await withMoreKeys(await sandbox())
      expect(await checkOf(target)).toMatchObject({ verdict: 'pass' })
    })

    it('is not run in mode write', async () => {
      const target = await withMoreKeys(await sandbox())
      expect(await checkOf({ ...target, mode: 'write' })).toMatchObject({ verdict: 'not_run', reason: 'read-only' })
    })

    it('is not run with a live key', async () => {
      const { credentials, ...target } = await withMoreKeys(await sandbox())
      const live = credentials.map((each) => (each.environment ? { ...each, secret: 'sk_live_1' } : each))
      expect(await checkOf({ ...target, credentials: live })).toMatchObject({ verdict: 'not_run', reason: 'read-only' })
    })
  })
})
