import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ConformanceInputError, ConformanceTargetError, runConformance } from '../../src/index.ts'
import { repoRoot } from '../house/repo.ts'
import { openSandbox } from './support.ts'

/** One is read sooner than all. */
const NONCE_REUSE = [join(repoRoot, 'scenarios/auth/nonce-reuse.yaml')]

describe('running the suite from a test', { timeout: 60_000 }, () => {
  it('shows that a correct target passes the scenarios that were asked for', async () => {
    const { url, credentials } = await openSandbox()
    const target = { url, ...credentials.main }
    const kinds = new Set<string>()
    const result = await runConformance({ target, only: ['auth/*-missing'], onProgress: ({ kind }) => kinds.add(kind) })
    expect(result.failures).toEqual([])
    expect(result.summary.checks.pass).toBe(9)
    expect(kinds).toContain('scenario-finished')
  })

  it('names what a broken one does wrong', async () => {
    const { url, credentials } = await openSandbox({ defect: 'nonce-never-tracked' })
    const target = { url, ...credentials.main }
    const { verdict, failures } = await runConformance({ target, scenarios: NONCE_REUSE, only: ['auth/*'] })
    expect(verdict).toBe('non_conforming')
    expect(failures[0]).toMatchObject({ verdict: 'fail', scenario: expect.stringMatching(/^auth\//) })
  })

  it('refuses what it cannot read, with line and column', async () => {
    const file = join(repoRoot, 'package.json')
    const refused = await runConformance({ target: { file }, scenarios: NONCE_REUSE }).catch((error) => error)
    expect(refused).toBeInstanceOf(ConformanceInputError)
    expect(refused.problems[0]).toMatch(/package\.json:\d+:\d+: /)
  })

  it('refuses a selection that leaves nothing', async () => {
    const target = { url: 'http://127.0.0.1:1', keyId: 'pk_sandbox_x', secret: 's' }
    const of = { target, scenarios: NONCE_REUSE }
    for (const [selection, problem] of [
      [{ only: ['auth/*'], requirements: ['ORD-03'] }, 'no check would run'],
      [{ only: ['auth/*', 'nothing/*'] }, 'no such scenario: nothing/*'],
      [{ only: ['auth/nonce-reus'] }, 'no such scenario: auth/nonce-reus; did you mean "auth/nonce-reuse"?'],
      [{ tags: ['nothing'] }, 'no such tag: nothing'],
      [{ requirements: ['NO-01'] }, 'no such requirement: NO-01'],
    ] as const)
      await expect(runConformance({ ...of, ...selection })).rejects.toThrow(problem)
    await expect(runConformance({ target: { ...target, url: 'nowhere' }, scenarios: NONCE_REUSE })).rejects.toThrow(
      ConformanceInputError,
    )
  })

  it.each([
    [
      { self: true, onlly: [] },
      /^runConformance: target is required; unknown option "self"; there are target, .*; unknown option "onlly"; did you mean "only"\?$/,
    ],
    [
      { target: 'http://127.0.0.1:1' },
      'runConformance: target must be an object with url, keyId and secret, or with file',
    ],
    [{ target: { url: 'http://127.0.0.1:1' } }, 'target must be an object with url, keyId and secret, or with file'],
    [{ target: { file: 'target.yaml' }, only: 'auth/*' }, 'runConformance: only must be a list'],
  ])('refuses the options %j', async (options, message) => {
    const error = await runConformance(options as never).catch((thrown) => thrown)
    expect(error).toBeInstanceOf(TypeError)
    expect(error.message).toMatch(message)
  })

  it('says that the target does not know the credential', async () => {
    const { url } = await openSandbox()
    const run = runConformance({ target: { url, keyId: 'pk_sandbox_x', secret: 's' }, scenarios: NONCE_REUSE })
    await expect(run).rejects.toBeInstanceOf(ConformanceTargetError)
  })

  it('ends with the reason of its signal', async () => {
    const { url, credentials } = await openSandbox()
    const reason = new Error('enough')
    const signal = AbortSignal.abort(reason)
    await expect(runConformance({ target: { url, ...credentials.main }, scenarios: NONCE_REUSE, signal })).rejects.toBe(
      reason,
    )
  })
})
