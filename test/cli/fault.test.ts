import { describe, expect, it } from 'vitest'
import { startSandbox } from '../support/sandbox.ts'
import { cliAgainst } from './against.ts'
import { cli } from './run.ts'

describe('fault', () => {
  it('adds what the options say, lists it with its hits, removes one and clears all', async () => {
    const sandbox = await startSandbox({ inventory: 0 })
    const { ok, okJson } = cliAgainst(sandbox)
    const drop = await okJson(...'fault add --endpoint orders.create --drop after-commit --times 1'.split(' '))
    expect(drop).toMatchObject({ match: { endpoint: 'orders.create' }, effect: { drop: 'after-commit' }, left: 1 })
    await ok(...'fault add --endpoint events.list --status 500 --credential main --forever'.split(' '))
    await sandbox.call({ path: '/events' })
    const lines = (await ok('fault', 'list')).split('\n')
    expect(lines[0]).toMatch(/^FAULT +CALLS +DOES +CHANCE +HITS +LEFT +LAST REQUEST$/)
    expect(lines[1]).toMatch(/^flt_\w+ +orders.create +drop after-commit +1 +0 +1 +-$/)
    expect(lines[2]).toMatch(/^flt_\w+ +events.list main +internal_error 500 +1 +1 +for ever +req_\w+$/)
    expect(await ok('fault', 'remove', drop.id)).toBe(`removed ${drop.id}\n`)
    expect(await ok('fault', 'clear')).toBe('no faults any more\n')
    expect(await ok('fault', 'list')).toBe('no faults\n')
  })

  it('is named by the request log beside each call that it acted on, as a magic name is', async () => {
    const sandbox = await startSandbox({ inventory: 0 })
    const { ok, okJson } = cliAgainst(sandbox)
    const { id } = await okJson('fault', 'add', '--status', '500')
    await sandbox.call({ path: '/events' })
    await sandbox.call({ path: '/events' })
    await sandbox.call({ path: '/pricing?domain=rate-limited-1.test' })
    const lines = (await ok('request', 'list')).split('\n')
    expect(lines.slice(0, 4)).toEqual([
      expect.stringMatching(/ ON PURPOSE +REASON$/),
      expect.stringMatching(/ 429 .* refuse by magic name +rate-limited-1\.test .*\.$/),
      expect.stringMatching(/ 200 .* - +-$/),
      expect.stringMatching(new RegExp(` 500 .* refuse by ${id} +-$`)),
    ])
  })

  it.each([
    ['', 'say what goes wrong: --status, --code'],
    ['--status 500 --delay 3s', 'a fault does one thing'],
    ['--status 500 --times 2 --forever', '--forever and --times exclude each other'],
    ['--status 500 --seed x', '--seed needs --probability'],
    ['--delay soon', 'It must be a duration'],
    ['--probability 2 --status 500', 'more than 0 and at most 1'],
    ['--endpoint orders.creat --status 500', 'Did you mean "orders.create"?'],
    ['--drop sometimes', 'It must be one of before-commit, after-commit'],
  ])('says what is wrong with %j', async (options, says) => {
    const { code, err } = await cli(['fault', 'add', ...options.split(' ').filter((word) => word !== '')])
    expect([code, err]).toEqual([4, expect.stringContaining(says)])
  })

  it.each([
    ['fault add --status 418', '--status 418: no code of the API has it; say --code'],
    ['fault add --status 500 --message no', '--message cannot be given for internal_error, whose message is fixed'],
    [
      'world rules default --hold-country Germany',
      '--hold-country must be a two-letter country code of ISO 3166-1 in upper case, not "Germany"',
    ],
    ['world progress --settle-every 1s', '--settle-every must be null or at least 1m'],
    [
      'domain add a.test --price-cents 100 --floor-cents 200',
      '--floor-cents must be a whole number from 1 to --price-cents',
    ],
  ])('%s is refused in the words of its flags', async (words, says) => {
    const { run } = cliAgainst(await startSandbox({ inventory: 0 }))
    const { code, err } = await run(...words.split(' '))
    expect([code, err]).toEqual([4, `error: ${says}\n`])
  })
})
