import { describe, expect, it } from 'vitest'
import { startSandbox } from '../support/sandbox.ts'
import { cliAgainst } from './against.ts'

describe('credential', () => {
  it('creates one and prints its secret once, lists all without secrets, changes, revokes, restores and deletes', async () => {
    const sandbox = await startSandbox({ inventory: 0 })
    const { ok, okJson } = cliAgainst(sandbox)
    const made = await ok(...'credential create ci --scopes search,buy --partner new --no-affiliate'.split(' '))
    expect(made).toMatch(/secret +sk_sandbox_\w{32}\n/)
    const listed = await ok('credential', 'list')
    expect(listed).toMatch(/\nci +pk_sandbox_\w+ +ptr_\w+ +search, buy +no +yes +no\n/)
    expect(listed).not.toContain('sk_')
    expect(await okJson('credential', 'set', 'ci', '--scopes', 'none')).toMatchObject({ scopes: [] })
    const [, keyId = ''] = /key_id +(\S+)/.exec(made) ?? []
    expect(await okJson('credential', 'revoke', keyId)).toMatchObject({ name: 'ci', revoked: true })
    expect(await okJson('credential', 'set', 'ci', '--restored')).toMatchObject({ revoked: false })
    expect(await okJson('credential', 'rotate', 'ci')).toMatchObject({ secret: expect.stringMatching(/^sk_sandbox_/) })
    expect(await ok('credential', 'delete', 'ci')).toBe('deleted ci\n')
    expect(await ok('credential', 'list')).not.toContain('ci  ')
  })

  it.each([
    [['create', 'x', '--scopes', 'search,fly'], 4, 'unknown scope "fly"; use search, embed'],
    [['create', 'x', '--partner', 'third'], 4, 'partner must be one of main, other, new'],
    [['create', 'main'], 1, 'there is a credential called main already'],
    [['set', 'main'], 4, 'say what to change'],
    [['revoke', 'nobody'], 4, 'the world default has no credential "nobody"; it has main, other-partner'],
  ])('says what is wrong with %j', async (args, code, says) => {
    const { run } = cliAgainst(await startSandbox({ inventory: 0 }))
    const outcome = await run('credential', ...args)
    expect([outcome.code, outcome.err]).toEqual([code, expect.stringContaining(says)])
  })
})
