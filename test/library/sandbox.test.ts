import { describe, expect, it } from 'vitest'
import { connectSandbox, SandboxRefusal, SandboxUnreachable, startSandbox } from '../../src/index.ts'
import { CAST } from '../../src/sandbox/kernel/credentials.ts'
import { openSandbox } from './support.ts'

describe('a started sandbox', () => {
  it('has a default world whose credentials sign calls at its address', async () => {
    const sandbox = await openSandbox()
    expect(sandbox.credentials).toBe(sandbox.defaultWorld.credentials)
    expect(sandbox.defaultWorld.name).toBe('default')
    const { status } = await sandbox.defaultWorld.call('GET', '/orders')
    expect(status).toBe(200)
    const names = CAST.map(({ name }) => name)
    expect(Object.keys(sandbox.credentials)).toEqual(names)
  })

  it('makes worlds that share nothing but its address', async () => {
    const sandbox = await openSandbox()
    const [one, two] = [await sandbox.createWorld({ name: 'one' }), await sandbox.createWorld()]
    expect(one.url).toBe(two.url)
    expect(one.credentials.main.keyId).not.toBe(two.credentials.main.keyId)
    await one.domains.create({ domain: 'mine.test', priceCents: 100 })
    expect((await one.call('GET', '/availability?domain=mine.test')).json['available']).toBe(true)
    expect((await two.call('GET', '/availability?domain=mine.test')).json['available']).toBe(false)
    const worlds = await sandbox.worlds()
    expect(worlds.map(({ world }) => world)).toEqual(expect.arrayContaining(['default', 'one', two.name]))
  })

  it('makes a world as its options say', async () => {
    const sandbox = await openSandbox()
    const world = await sandbox.createWorld({
      seed: 'ci',
      inventory: 7,
      clock: new Date('2026-02-03T04:05:06Z'),
      frozen: true,
      progress: { startAfter: '10m', settleEvery: '7d' },
      rules: { commission: { brokerageBasisPoints: 100 }, review: { priceAboveCents: 500 } },
    })
    expect(await world.show()).toMatchObject({
      seed: 'ci',
      inventory: 7,
      now: '2026-02-03T04:05:06.000Z',
      mode: 'frozen',
      progress: { start_after: '10m', complete_after: null, settle_every: '7d' },
      rules: { commission: { brokerage_basis_points: 100 }, review: { price_above_cents: 500 } },
    })
  })

  it('may run beside any number of others in one process', async () => {
    const sandboxes = await Promise.all([openSandbox(), openSandbox(), openSandbox()])
    expect(new Set(sandboxes.map(({ url }) => url)).size).toBe(3)
  })

  it('lists the names that behave by themselves', async () => {
    const { domains } = await (await openSandbox()).magic()
    expect(JSON.stringify(domains)).toContain('held-')
  })

  it('takes what is undefined for left out', async () => {
    const sandbox = await openSandbox({ seed: undefined, host: undefined, inventory: 3 } as object)
    expect((await sandbox.defaultWorld.show()).seed).toBe('sandbox')
  })

  it.each([
    [{ sed: 'ci' }, 'unknown option "sed"; did you mean "seed"?'],
    [{ dat: 'folder' }, 'unknown option "dat"; did you mean "data"?'],
    [{ clock: 'tomorrow' }, 'clock must be an instant such as "2027-01-01T00:00:00Z", or null'],
    ['folder' as never, 'startSandbox: the options must be an object'],
    [{ gaps: { 'created-status': 299 } }, 'created-status is 299; legal are 201, 200'],
    [{ seed: 5 }, 'seed must be a text'],
    [{ inventory: -5 }, 'inventory must be a whole number'],
    [{ clockMs: Number.NaN }, 'clockMs must be whole milliseconds'],
    [{ operatorPort: null }, 'operatorPort must be a port'],
    [{ port: 'x' }, new TypeError('startSandbox: port must be a port, from 0 to 65535')],
    [{ operatorPort: 70_000 }, 'operatorPort must be a port, from 0 to 65535'],
  ])('refuses %j', async (options, message) => {
    await expect(startSandbox(options as object)).rejects.toThrow(message)
  })

  it('stops when it is closed, or disposed of', async () => {
    const sandbox = await startSandbox({ inventory: 0 })
    await sandbox[Symbol.asyncDispose]()
    await expect(connectSandbox(sandbox.operator)).rejects.toThrow(SandboxUnreachable)
  })
})

describe('a sandbox elsewhere', () => {
  it('is handled by its operator address, and goes on when the handle is closed', async () => {
    const sandbox = await openSandbox()
    const far = await connectSandbox({ url: `${sandbox.operatorUrl}/` })
    expect([far.url, far.operatorUrl]).toEqual([sandbox.url, sandbox.operatorUrl])
    const world = await far.createWorld()
    expect((await world.call('GET', '/orders')).status).toBe(200)
    await far.close()
    expect((await sandbox.world(world.name)).name).toBe(world.name)
  })

  it('signs for worlds of others by the sandbox, and tells no secret of theirs', async () => {
    const sandbox = await openSandbox()
    const { name, credentials } = await sandbox.createWorld()
    const far = await connectSandbox(sandbox.operator)
    const theirs = await far.world(name)
    expect(theirs.credentials.main.keyId).toBe(credentials.main.keyId)
    expect((await theirs.call('GET', '/domains/search?q=a%20b')).status).toBe(200)
    expect((await theirs.as('no-scope').call('POST', '/quotes', { domain: 'a.test' })).status).toBe(403)
    expect(() => theirs.credentials.main.secret).toThrow('was shown once, to the client that created this world')
    await far.close()
  })

  it('keeps the secrets that this handle was told', async () => {
    const sandbox = await openSandbox()
    const made = await sandbox.createWorld()
    const again = await sandbox.world(made.name)
    expect(again.credentials.main.secret).toBe(made.credentials.main.secret)
  })

  it('wants its token', async () => {
    const sandbox = await openSandbox({ operatorToken: 'open sesame'.replace(' ', '-') })
    expect(sandbox.operator.token).toBe('open-sesame')
    const refused = connectSandbox({ url: sandbox.operatorUrl })
    await expect(refused).rejects.toMatchObject({ name: 'SandboxRefusal', status: 401 })
    const far = await connectSandbox({ url: sandbox.operatorUrl, token: 'open-sesame' })
    await far.close()
  })

  it.each(['nowhere', 'ftp://127.0.0.1', 'http://127.0.0.1:1'])('is no %s', async (url) => {
    await expect(connectSandbox({ url })).rejects.toThrow(SandboxUnreachable)
  })

  it('is no partner port', async () => {
    const { url } = await openSandbox()
    await expect(connectSandbox({ url })).rejects.toThrow(SandboxUnreachable)
    await expect(connectSandbox({ url })).rejects.toThrow('not as an operator port does')
  })
})

describe('a refusal', () => {
  it('is an error with status, sentence and members', async () => {
    const sandbox = await openSandbox()
    await sandbox.createWorld({ name: 'taken' })
    const error = await sandbox.createWorld({ name: 'taken' }).catch((thrown) => thrown)
    expect(error).toBeInstanceOf(SandboxRefusal)
    expect(error).toMatchObject({ status: 409, detail: 'there is a world called taken already' })
    expect(error.message).toBe('POST /v1/worlds: there is a world called taken already (409)')
  })

  it('names an option that there is not', async () => {
    const sandbox = await openSandbox()
    const refused = sandbox.createWorld({ frozzen: true } as object)
    await expect(refused).rejects.toThrow('frozzen')
  })

  it('tells unknown worlds, also with a name that is no path', async () => {
    const sandbox = await openSandbox()
    await expect(sandbox.world('a/../default')).rejects.toMatchObject({ status: 404 })
  })
})
