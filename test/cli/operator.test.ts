import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { sandboxOfFile } from '../support/sandbox.ts'
import { lacks } from '../support/tools.ts'
import { cliAgainst } from './against.ts'

const NOON = '2026-01-31T12:00:00.000Z'
const sandbox = sandboxOfFile({ inventory: 20, clockMs: Date.parse(NOON), frozen: true })
const run = (...args: string[]) => cliAgainst(sandbox).run(...args)
const ok = (...args: string[]) => cliAgainst(sandbox).ok(...args)
const okJson = (...args: string[]) => cliAgainst(sandbox).okJson(...args)

/** Lists a domain and sells it; the id of the order. */
async function recordedOrder(domain: string): Promise<string> {
  await ok('domain', 'add', domain, '--price-cents', '129900', '--floor-cents', '100000')
  const body = { domain, expected_price: 129900, currency: 'USD', buyer: { email: 'a@b.test' } }
  const { status, json } = await sandbox.call({ path: '/orders', body, key: domain })
  expect(status).toBe(201)
  return json.public_id
}

describe('operator commands', () => {
  it('clock: shows, freezes, runs, sets and advances', async () => {
    expect(await ok('clock', 'show')).toMatch(/^mode +frozen\nnow +2026-01-31T12:00:00\.000Z\n/)
    expect(await ok('clock', 'advance', '10m30s')).toMatch(
      /^from +2026-01-31T12:00:00\.000Z\nto +2026-01-31T12:10:30\.000Z\n/,
    )
    expect(await ok('clock', 'advance', '--to', '2026-01-31T13:00:00Z')).toMatch(/to +2026-01-31T13:00:00\.000Z\n/)
    expect(await okJson('clock', 'set', '2026-01-31T14:00:00Z')).toMatchObject({ now: '2026-01-31T14:00:00.000Z' })
    expect(await okJson('clock', 'run')).toMatchObject({ mode: 'running' })
    expect(await okJson('clock', 'freeze')).toMatchObject({ mode: 'frozen' })
  })

  it('clock: the receipt of an advance lists what fell due', async () => {
    await ok('domain', 'add', 'quoted.test', '--price-cents', '5000', '--floor-cents', '4000')
    expect((await sandbox.call({ path: '/quotes', body: { domain: 'quoted.test' } })).status).toBe(201)
    const text = await ok('clock', 'advance', '--until', 'next')
    expect(text).toMatch(/\nAT +KIND +ID +SUMMARY\n.+ quote\.expired +qt_\S+ /)
  })

  it('an id may be given as last, as the domain it is about, or by its beginning', async () => {
    const earlier = await recordedOrder('earlier.test')
    const latest = await recordedOrder('latest.test')
    expect(await okJson('order', 'show', 'last')).toMatchObject({ public_id: latest })
    expect(await okJson('order', 'hold', 'earlier.test')).toMatchObject({ public_id: earlier, status: 'MANUAL_REVIEW' })
    expect(await okJson('order', 'show', latest.slice(0, -3))).toMatchObject({ public_id: latest })
    expect(await okJson('request', 'show', 'earlier.test')).toMatchObject({ method: 'POST', status: 201 })
    const several = await run('order', 'show', 'ord_')
    expect([several.code, several.err]).toEqual([4, expect.stringContaining('"ord_" is the beginning of')])
    const empty = await run('order', 'refund', '')
    expect([empty.code, empty.err]).toEqual([4, expect.stringContaining('the id of the order is empty')])
    const refused = await run('order', 'hold', 'earlier.test')
    expect(refused.err).toContain(`order ${earlier} is MANUAL_REVIEW`)
    expect((await run('delivery', 'show', 'last')).err).toContain('there is no delivery in the world default')
    expect((await run('order', 'show', 'unsold.test')).err).toContain(
      'there is no order for unsold.test in the world default',
    )
  })

  it('order: lists, shows, and takes every step to the end', async () => {
    const id = await recordedOrder('walk.test')
    expect(await ok('order', 'list')).toMatch(
      new RegExp(
        `^ORDER +STATUS +DOMAIN +PRICE +PARTNER +CREATED\\n(.*\\n)*${id} +EXTERNALLY_PAID +walk\\.test +USD 1,299\\.00 `,
      ),
    )
    expect(await ok('order', 'show', id)).toMatch(/\nsteps +hold, start-transfer, refund, cancel\n/)
    for (const [step, status] of [
      ['hold', 'MANUAL_REVIEW'],
      ['clear', 'EXTERNALLY_PAID'],
      ['start-transfer', 'TRANSFER_IN_PROGRESS'],
      ['complete-transfer', 'TRANSFER_COMPLETED'],
    ] as const) {
      expect(await ok('order', step, id, '--reason', 'because')).toMatch(new RegExp(`\\nstatus +${status}\\n`))
    }
    await ok('settle', 'run')
    expect(await okJson('order', 'show', id)).toMatchObject({ status: 'SETTLED' })
    expect(await ok('order', 'list', '--status', 'SETTLED')).toContain(id)
    expect(await ok('order', 'list', '--status', 'CANCELLED')).toBe('no orders\n')
  })

  it('order: a refused step names the state and the steps allowed, with exit code 1', async () => {
    const id = await recordedOrder('refused.test')
    expect(await run('order', 'complete-transfer', id)).toEqual({
      code: 1,
      out: '',
      err: `error: complete-transfer is refused: order ${id} is EXTERNALLY_PAID; it allows hold, start-transfer, refund, cancel\n`,
    })
    await ok('order', 'refund', id)
    expect((await run('order', 'refund', id)).err).toBe(
      `error: refund is refused: order ${id} is REFUNDED; it allows no step at all\n`,
    )
  })

  it('order: an unknown one is exit code 1 and one line', async () => {
    const { code, err } = await run('order', 'show', 'ord_nope')
    expect(code).toBe(1)
    expect(err).toBe(
      'error: no such order in this world; "partner-sandbox order list" shows those of the world default\n',
    )
  })

  it('names the world in which an id is unknown', async () => {
    await run('world', 'create', 'second')
    const { err } = await run('fault', 'remove', 'flt_nope', '--world', 'second')
    expect(err).toBe(
      'error: no fault has that id; "partner-sandbox fault list --world second" shows those of the world second\n',
    )
    expect((await run('fault', 'list', '--world', 'secnod')).err).toBe(
      'error: no such world: "secnod"; did you mean "second"?\n',
    )
    await run('world', 'delete', 'second')
  })

  it('domain: adds, shows, changes, lists and removes', async () => {
    await ok('domain', 'add', 'shop.test', '--price-cents', '1000', '--floor-cents', '900', '--topic', 'retail')
    const changed = await okJson('domain', 'set', 'shop.test', '--price-cents', '2000', '--unlisted')
    expect(changed).toMatchObject({ price_cents: 2000, listed: false, topics: ['retail'] })
    expect(await ok('domain', 'show', 'shop.test')).toMatch(
      /^domain +shop\.test\nprice +USD 20\.00\nfloor_price +USD 9\.00\n(.+\n)*live_site +no\n(.+\n)*status +unlisted\n$/,
    )
    expect(await ok('domain', 'list')).toMatch(/^DOMAIN +PRICE +FLOOR +LISTED +STATUS +TOPICS\n/)
    expect(await ok('domain', 'remove', 'shop.test')).toBe('removed shop.test\n')
    expect((await run('domain', 'show', 'shop.test')).code).toBe(1)
  })

  it('world: is made with credentials of its own, listed, reset and deleted', async () => {
    const made = await ok('world', 'create', 'ci-42', '--seed', 'ci', '--inventory', '5', '--clock', NOON, '--frozen')
    expect(made).toMatch(
      /^world +ci-42\n\nCREDENTIAL +KEY ID +SECRET +SCOPES\nmain +pk_sandbox_\w+ +sk_sandbox_\w+ +search, /,
    )
    expect(await ok('world', 'list')).toMatch(/\nci-42 /)
    expect(await okJson('clock', 'show', '--world', 'ci-42')).toMatchObject({ now: NOON, mode: 'frozen' })
    expect(await ok('world', 'reset', 'ci-42')).toMatch(
      /^reset ci-42: removed (?:nothing|.*\d.*); credentials, settings and choices stay\n$/,
    )
    expect(await ok('world', 'show', 'ci-42')).toMatch(/ci-42/)
    expect(await ok('world', 'delete', 'ci-42')).toBe('deleted ci-42\n')
    expect((await run('world', 'show', 'ci-42')).code).toBe(1)
  })

  it('world: show marks the credential that is revoked', async () => {
    const text = await ok('world', 'show', 'default')
    expect(text).toMatch(/\nCREDENTIAL +KEY ID +PARTNER +SCOPES +AFFILIATE +MERCHANT +REVOKED\nmain .+ no\n/)
    expect(text).toMatch(/\nrevoked .+ yes\n/)
  })

  it('world: secrets appear on creation and never again', async () => {
    const made = JSON.parse(await ok('world', 'create', 'secretive', '--inventory', '1', '--json'))
    const [main] = made.credentials as { secret: string }[]
    const later = [await ok('world', 'list', '--json'), await ok('world', 'show', 'secretive', '--json')]
    expect(main?.secret).toMatch(/^sk_sandbox_/)
    expect(later.join('')).not.toContain('sk_sandbox_')
  })

  it('request: lists calls, and shows which check refused one', async () => {
    const target = '/api/partner/v1/availability?domain=a.test'
    const signs = { secret: sandbox.credentials[0]?.key_id as string }
    const id = String((await sandbox.call({ path: target, signs })).headers['x-request-id'])
    expect(await ok('request', 'list', '--code', 'invalid_signature')).toMatch(
      new RegExp(`\\n${id} +(?!2026-01-31)\\S+ +GET +${target.replace('?', '\\?')} +401 +invalid_signature`),
    )
    expect(await ok('request', 'show', 'last')).toContain(`The key id was used as the secret.`)
    const listed = await ok('request', 'list', '--code', 'invalid_signature')
    const [, at = ''] = new RegExp(`\\n${id} +(\\S+)`).exec(listed) ?? []
    expect(await ok('request', 'list', '--since', at)).toContain(id)
    expect(await ok('request', 'list', '--until', at)).not.toContain(id)
    expect(listed).toContain('\n(AT is real time')
    const shown = await ok('request', 'show', id, '--full')
    expect(shown).toMatch(/\nreal_time +(?!2026-01-31)\S+\nworld_time +2026-01-31T/)
    expect(shown).toMatch(/\nchecks +headers passed, .*signature refused\n/)
    expect(shown).toMatch(
      /\n {2}METHOD +GET\n {2}PATH +\/api\/partner\/v1\/availability\n {2}QUERY_STRING +domain=a\.test\n/,
    )
  })

  it.skipIf(lacks('curl'))('sign: lets the running sandbox sign with a key of its cast', async () => {
    const { key_id: keyId = '', secret = '' } = sandbox.credentials[0] ?? {}
    const line = await ok(
      'sign',
      'GET',
      `${sandbox.url}/api/partner/v1/domains/search?q=solar`,
      '--key-id',
      keyId,
      '--curl',
    )
    expect(line).not.toContain(secret)
    const { stdout } = await promisify(execFile)('bash', ['-c', line])
    expect(JSON.parse(stdout)).toMatchObject({ query: 'solar' })
  })

  it.skipIf(lacks('curl'))('sign: takes a key of another world once that is named', async () => {
    const { credentials } = JSON.parse(await ok('world', 'create', 'elsewhere', '--inventory', '0', '--json'))
    const call = ['sign', 'GET', `${sandbox.url}/api/partner/v1/orders`, '--key-id', credentials[0].key_id, '--curl']
    expect((await run(...call)).err).toContain('name its world with --world')
    const { stdout } = await promisify(execFile)('bash', ['-c', await ok(...call, '--world', 'elsewhere')])
    expect(JSON.parse(stdout)).toMatchObject({ orders: [] })
  })

  it('sign: says that the sandbox has no such key', async () => {
    const { code, err } = await run('sign', 'GET', `${sandbox.url}/a`, '--key-id', 'pk_sandbox_nope')
    expect([code, err]).toEqual([
      4,
      `error: the world default at ${sandbox.operator?.url} has no key pk_sandbox_nope; name its world with --world, or set PARTNER_SECRET for a key from elsewhere\n`,
    ])
    const elsewhere = await run('sign', 'GET', `${sandbox.url}/a`, '--key-id', 'pk_sandbox_nope', '--world', 'nowhere')
    expect([elsewhere.code, elsewhere.err]).toEqual([4, expect.stringContaining('no such world: "nowhere"')])
  })
})
