import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { fetchDocumented } from '../../support/documented.ts'
import { end, serve } from '../../support/served.ts'

const BIN = fileURLToPath(new URL('../../../bin/partner-sandbox.js', import.meta.url))

interface Ended {
  code: number
  stdout: string
  stderr: string
}

async function run(args: string[], env: Record<string, string> = {}): Promise<Ended> {
  const options = { env: { ...process.env, ...env } }
  try {
    return { code: 0, ...(await promisify(execFile)(process.execPath, [BIN, ...args], options)) }
  } catch (error) {
    return error as Ended
  }
}

describe('the program', () => {
  it('shows its help without loading more than the list of commands', async () => {
    const hook = `import Module from 'node:module'
      process.on('exit', () => process._rawDebug(Object.keys(Module._cache).join('\\n')))`
    const { code, stderr } = await run(['--help'], {
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook)}`,
    })
    expect(code).toBe(0)
    const loaded = stderr.trim().split('\n')
    expect(loaded.map((url) => url.replace(/.*\/(?=dist|bin)/, '')).sort()).toEqual([
      'bin/partner-sandbox.js',
      ...['main', 'rolldown-runtime', 'start'].map((name) => `dist/bundle/${name}.js`),
    ])
  })

  it('names the lines of its sources where an error ends it', async () => {
    const fault = `Object.defineProperty(process.stdout, 'columns', { get() { throw new Error('no columns') } })`
    const { stderr } = await run(['--version'], {
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(fault)}`,
    })
    const [, source = '', line] = /Error: no columns\n.*\n\s+at (?:.*\()?(.*src\/cli\/main\.ts):(\d+):\d+/.exec(
      stderr,
    ) ?? [stderr]
    expect(source).not.toBe('')
    expect(readFileSync(source, 'utf8').split('\n')[Number(line) - 1]).toContain('process.stdout.columns')
  })

  it('ships the license of every package whose code is in its bundle, and lists them in its bill of materials', () => {
    const bundled = ['ajv', 'chalk', 'commander', 'fastify', 'find-my-way', 'preact', 'yaml']
    const read = (name: string) => readFileSync(new URL(`../../../dist/bundle/${name}`, import.meta.url), 'utf8')
    const licenses = read('THIRD-PARTY-LICENSES.txt')
    const named = [...licenses.matchAll(/^-{80}\n(\S+) \S+ \((.+)\)\n/gm)].map(([, name]) => name)
    expect(named).toEqual(expect.arrayContaining(bundled))
    expect(named.filter((name) => name === 'better-sqlite3' || name === 'vitest')).toEqual([])
    const { components } = JSON.parse(read('sbom.cdx.json')) as { components: { name: string }[] }
    expect(components.map(({ name }) => name)).toEqual(named)
  })

  it('ends with the exit code of its command, and says on standard error only, in one line, what went wrong', async () => {
    expect((await run(['--version'])).code).toBe(0)
    expect((await run(['clock', 'show', '--sandbox', 'http://127.0.0.1:1'])).code).toBe(6)
    expect(await run(['clock', 'advance', 'soon'])).toMatchObject({
      code: 4,
      stdout: '',
      stderr:
        'error: "soon" is not a duration of more than zero in whole days, hours, minutes and seconds, such as 10m30s, 2h, 7d or PT10M30S\n',
    })
  })

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'closes and ends with 0 on the first %s, even with a client that keeps its connection open',
    async (signal) => {
      const { child, url } = await serve('--inventory', '5')
      await fetchDocumented(`${url}/api/partner/v1/availability?domain=a.test`)
      await end(child, signal)
      expect([child.exitCode, child.signalCode]).toEqual([0, null])
    },
  )

  it('does not mind a reader that stops reading', async () => {
    const child = spawn(process.execPath, [BIN, '--help'], { stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.destroy()
    const complaints: Buffer[] = []
    child.stderr.on('data', (chunk: Buffer) => complaints.push(chunk))
    const [code] = await once(child, 'exit')
    expect([code, Buffer.concat(complaints).toString()]).toEqual([0, ''])
  })
})
