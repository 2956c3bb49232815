import { copyFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startServer } from '../../src/server.ts'
import { fetchDocumented } from '../support/documented.ts'
import { register } from '../support/hooks.ts'
import { startSandbox } from '../support/sandbox.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { type CliOutcome, cli } from './run.ts'

const FREE = ['--port', '0', '--operator-port', '0', '--inventory', '10']

/** Serves until `use` is done with it. */
async function serving(
  args: string[],
  use: (firstOutput: string) => Promise<void>,
  env: Record<string, string> = {},
): Promise<CliOutcome> {
  const stop = new AbortController()
  let running: Promise<CliOutcome> | undefined
  const first = new Promise<string>((resolve, reject) => {
    running = cli(['serve', ...args], { stop: stop.signal, onOut: resolve, env })
    running.then((outcome) => reject(new Error(outcome.err || 'serve ended without a word'))).catch(reject)
  })
  try {
    await use(await first)
  } finally {
    stop.abort()
  }
  return (await running) as CliOutcome
}

describe('serve', () => {
  it('prints one JSON line with --ready-json, answers there, and says nothing more', async () => {
    const { code, out, err } = await serving([...FREE, '--ready-json', '--seed', 'other'], async (line) => {
      const ready = JSON.parse(line)
      expect(Object.keys(ready)).toEqual(['url', 'operator', 'world', 'seed', 'gaps', 'credentials'])
      expect(ready).toMatchObject({ operator: { token: null }, world: 'default', seed: 'other' })
      const { status } = await fetchDocumented(`${ready.url}/api/partner/v1/availability?domain=a.test`)
      expect(status).toBe(401)
      const main = ready.credentials[0]
      expect(Object.keys(main)).toEqual([
        ...['name', 'key_id', 'secret', 'scopes', 'partner_id', 'affiliate', 'merchant_of_record'],
      ])
      expect(main).toMatchObject({ name: 'main', affiliate: true, merchant_of_record: true })
    })
    expect([code, err]).toEqual([0, ''])
    expect(out.match(/\n/g)).toHaveLength(1)
  })

  it('answers a refused call with a hint, and not under --strict', async () => {
    for (const [args, names] of [
      [[], ['code', 'message', 'request_id', 'hint']],
      [['--strict'], ['code', 'message', 'request_id']],
    ] as const) {
      await serving([...FREE, '--ready-json', ...args], async (line) => {
        const answer = await fetchDocumented(`${JSON.parse(line).url}/api/partner/v1/availability?domain=a.test`)
        expect([args, Object.keys((await answer.json()) as object)]).toEqual([args, names])
      })
    }
  })

  it('prints two addresses, the seed, the key and a line that can be pasted', async () => {
    await serving(FREE, async (text) => {
      const shown = text.replaceAll(/:\d+/g, ':PORT').replaceAll(/(pk|sk)_sandbox_[a-z0-9]+/g, '$1_sandbox_OPAQUE')
      await expect(shown).toMatchFileSnapshot('../golden/banner.txt')
    })
  })

  it('says which folder, defect and rules it was started with, and the time of a world that has another', async () => {
    const folder = join(tempFolder(), 'worlds')
    const data = [...FREE, '--data', folder]
    await serving([...data, '--clock', '2030-01-01T00:00:00Z', '--frozen'], async (text) =>
      expect(text).toContain(`\n  Data        ${folder}\n  World time  2030-01-01T00:00:00.000Z\n`),
    )
    await serving([...data, '--strict', '--defect', 'nonce-never-tracked'], async (text) => {
      expect(text).toContain(`\n  Data        ${folder} (with 1 world of an earlier start)\n  World time  2030-`)
      expect(text).toContain('\n  Defect      nonce-never-tracked (broken on purpose)\n  Hints       off (--strict)\n')
    })
    copyFileSync(join(folder, 'default.sqlite'), join(folder, 'other.sqlite'))
    writeFileSync(join(folder, 'default.sqlite'), 'damaged')
    await serving(data, async (text) => expect(text).toContain(`${folder} (with 1 world of an earlier start)\n`))
  })

  it('says that it is open to the network where it listens on more than loopback', async () => {
    const words = 'Anyone who can reach this machine can reach this sandbox'
    await serving([...FREE, '--host', '0.0.0.0'], async (text) => expect(text).toContain(words))
    await serving([...FREE, '--host', '127.0.0.2'], async (text) => expect(text).not.toContain(words))
  })

  it('names the addresses that other machines call where it listens on every one', async () => {
    const networks = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses)
    const other = networks.find(({ internal, family }) => !internal && family === 'IPv4')
    await serving([...FREE, '--host', '0.0.0.0'], async (text) => {
      const port = /API +http:\/\/127\.0\.0\.1:(\d+)/.exec(text)?.[1]
      if (other) expect(text).toContain(`\n  Network   http://${other.address}:${port}\n`)
    })
    await serving(FREE, async (text) => expect(text).not.toContain('Network'))
  })

  it('warns others of a world whose secrets everyone knows, since it was made on loopback', async () => {
    const data = [...FREE, '--quiet', '--data', join(tempFolder(), 'worlds')]
    expect((await serving(data, async () => {})).err).toBe('')
    expect((await serving([...data, '--host', '0.0.0.0'], async () => {})).err).toMatch(
      /^warning: the world default has secrets that everyone knows.*: main, other-partner, only-search, and \d+ more\. .*\n$/,
    )
    expect((await serving([...FREE, '--quiet', '--host', '0.0.0.0'], async () => {})).err).toBe('')
  })

  it('has no operator port with --no-operator', async () => {
    await serving([...FREE, '--no-operator', '--ready-json'], async (line) => {
      expect(JSON.parse(line).operator).toBeNull()
    })
  })

  it('asks for the token that it was given', async () => {
    await serving([...FREE, '--operator-token', 'let-me-in', '--ready-json'], async (line) => {
      const { operator } = JSON.parse(line)
      expect(operator.token).toBe('let-me-in')
      const refused = await cli(['clock', 'show', '--sandbox', operator.url])
      expect([refused.code, refused.err.includes('give --operator-token')]).toEqual([4, true])
      expect((await cli(['clock', 'show', '--sandbox', operator.url, '--operator-token', 'let-me-in'])).code).toBe(0)
    })
  })

  it('lets links to its pages carry the address of --public-url, while it listens where it did', async () => {
    const address = ['--public-url', 'https://Sandbox.Example.test/shop/']
    await serving([...FREE, ...address, '--ready-json'], async (line) => {
      const { url } = JSON.parse(line)
      expect(new URL(url).hostname).toBe('127.0.0.1')
      const document = (await (await fetch(`${url}/openapi.json`)).json()) as { servers: { url: string }[] }
      expect(document.servers[0]?.url).toBe('https://sandbox.example.test/shop')
    })
  })

  it('labels its world and its keys with --shard or its variable, the flag first, and says so', async () => {
    const withLabel = async (args: string[], env: Record<string, string>, label: string) =>
      serving(
        [...FREE, ...args, '--ready-json'],
        async (line) => {
          const ready = JSON.parse(line)
          expect(Object.keys(ready)).toEqual(['url', 'operator', 'world', 'shard', 'seed', 'gaps', 'credentials'])
          expect(ready).toMatchObject({ shard: label, world: `${label}.default` })
          expect(ready.credentials[0].key_id).toContain(`pk_sandbox_${label}_`)
          const shown = await cli(['world', 'show', 'default', '--json', '--sandbox', ready.operator.url])
          expect(JSON.parse(shown.out).world).toBe(`${label}.default`)
        },
        env,
      )
    await withLabel(['--shard', 'b'], { PARTNER_SANDBOX_SHARD: 'c' }, 'b')
    await withLabel([], { PARTNER_SANDBOX_SHARD: 'c2' }, 'c2')
    await serving([...FREE, '--shard', 'b'], async (text) => expect(text).toMatch(/Shard +b\n/))
    await serving([...FREE, '--ready-json'], async (line) => expect(line).not.toContain('shard'), {
      PARTNER_SANDBOX_SHARD: '',
    })
  })

  it.each(['B', 'nine-char', 'ninechars', ''])('takes no label such as "%s"', async (label) => {
    const { code, err } = await cli(['serve', ...FREE, '--shard', label])
    expect([code, err]).toEqual([4, expect.stringContaining('It must be 1 to 8 lower-case letters and digits')])
    if (label === '') return
    const byVariable = await cli(['serve', ...FREE], { env: { PARTNER_SANDBOX_SHARD: label } })
    expect(byVariable).toEqual({
      code: 4,
      out: '',
      err: 'error: PARTNER_SANDBOX_SHARD: It must be 1 to 8 lower-case letters and digits.\n',
    })
  })

  it('refuses a data folder of another shard in one line', async () => {
    const folder = join(tempFolder(), 'worlds')
    await serving([...FREE, '--data', folder, '--shard', 'a', '--ready-json'], async () => {})
    const { code, err } = await cli(['serve', ...FREE, '--data', folder, '--shard', 'b'])
    expect([code, err]).toEqual([
      4,
      `error: --data: the world a.default of ${folder} cannot be opened: it is of shard a, and this server of shard b; start it with --shard a, or give another folder\n`,
    ])
  })

  it('names the flag whose port is in use', async () => {
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
    const { port } = taken.address() as AddressInfo
    try {
      expect(await cli(['serve', ...FREE, '--port', String(port)])).toEqual({
        code: 4,
        out: '',
        err: `error: --port ${port} is in use; choose another, or 0 for a free one\n`,
      })
      expect((await cli(['serve', ...FREE, '--operator-port', String(port)])).err).toBe(
        `error: --operator-port ${port} is in use; choose another, or 0 for a free one\n`,
      )
    } finally {
      taken.close()
    }
  })

  it('says that a host is not an address of this machine', async () => {
    expect((await cli(['serve', ...FREE, '--host', '192.0.2.1'])).err).toBe(
      'error: --host 192.0.2.1 is not an address of this machine; try 127.0.0.1 or 0.0.0.0\n',
    )
  })

  it('says that a data directory is in use', async () => {
    const folder = join(tempFolder(), 'worlds')
    await serving([...FREE, '--data', folder, '--ready-json'], async () => {
      const { code, err } = await cli(['serve', ...FREE, '--data', folder])
      expect(code).toBe(4)
      expect(err).toMatch(/^error: --data: .*in use.*\n$/)
    })
  })

  it('says that a data directory went away before the first world was written', { timeout: 30_000 }, async () => {
    const folder = join(tempFolder(), 'worlds')
    const onProgress = () => rmSync(folder, { recursive: true, force: true })
    const starting = startServer({ port: 0, operatorPort: 0, dataDir: folder, inventory: 10_000, onProgress })
    await expect(starting).rejects.toMatchObject({
      name: 'StorageError',
      message: `${folder}: the files of the data directory cannot be used (ENOENT); check that the folder is there and may be written`,
    })
  })

  it('wants an operator token of 16 characters where other machines may come', async () => {
    const { code, err } = await cli(['serve', ...FREE, '--host', '0.0.0.0', '--operator-token', 'fifteen-letters'])
    expect(code).toBe(4)
    expect(err).toBe(
      'error: --operator-token: at least 16 characters, because 0.0.0.0 may be reached from other machines; give a longer token, or none to have one made\n',
    )
    await serving(
      [...FREE, '--host', '0.0.0.0', '--operator-token', 'sixteen-letters!', '--ready-json'],
      async () => {},
    )
  })

  it('sends webhooks to public addresses alone where other machines may come, unless told otherwise', async () => {
    const sandbox = await startSandbox({ host: '0.0.0.0' })
    const places = ['http://127.0.0.1:6379/x', 'http://10.1.2.3/x', 'http://192.0.2.7/x', 'http://8.8.8.8/x']
    const statuses: number[] = []
    for (const url of places) statuses.push((await register(sandbox, url)).status)
    expect(statuses).toEqual([400, 400, 400, 200])
    const told = await startSandbox({ host: '0.0.0.0', webhookHosts: 'loopback' })
    expect((await register(told, 'http://127.0.0.1:6379/x')).status).toBe(200)
  })

  it('says which options a world that is there does not take', async () => {
    const folder = join(tempFolder(), 'worlds')
    const noteAfter = async (...options: string[]) =>
      (await serving([...FREE, '--quiet', '--data', folder, ...options], async () => {})).err
    expect(await noteAfter('--frozen')).toBe('')
    expect(await noteAfter()).toBe('')
    const note = (flags: string) => `note: ${folder} already holds this world; ${flags} for new worlds\n`
    expect(await noteAfter('--frozen')).toBe(note('--frozen is'))
    expect(await noteAfter('--clock', '2030-01-01')).toBe(note('--clock is'))
    expect(await noteAfter('--inventory', '11')).toBe(note('--inventory is'))
    expect(await noteAfter('--seed', 'other', '--frozen')).toBe(note('--seed, --frozen are'))
  })

  it('says nothing of options that a world which is there does not have, where none was given', async () => {
    const data = ['--port', '0', '--operator-port', '0', '--quiet', '--data', join(tempFolder(), 'worlds')]
    await serving([...data, '--inventory', '10', '--seed', 'team'], async () => {})
    expect((await serving(data, async () => {})).err).toBe('')
    expect((await serving([...data, '--seed', 'team'], async () => {})).err).toBe('')
  })

  it('says that a data directory cannot be made', async () => {
    const file = join(tempFolder(), 'plain')
    writeFileSync(file, '')
    for (const folder of [file, join(file, 'worlds')]) {
      const { code, err } = await cli(['serve', ...FREE, '--data', folder])
      expect([code, err]).toEqual([
        4,
        `error: --data: the data directory ${folder} cannot be used: a file is there; name a folder\n`,
      ])
    }
  })

  it('names a defect that does not exist', async () => {
    const { code, err } = await cli(['serve', ...FREE, '--defect', 'no-such-defect'])
    expect(code).toBe(4)
    expect(err).toMatch(/^error: --defect: .*no-such-defect.* in npx partner-sandbox selftest --list\n$/)
    expect((await cli(['serve', ...FREE, '--defect', 'zzz'])).err).toBe(
      'error: --defect: no such defect: "zzz"; all are in npx partner-sandbox selftest --list\n',
    )
  })
})
