import { execFile } from 'node:child_process'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningServer, startServer } from '../../src/server.ts'
import { tempFolderOfFile } from '../support/temp-folder.ts'
import { lacks, type Tool } from '../support/tools.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
const examples = join(root, 'examples')
const out = tempFolderOfFile()

interface Language {
  folder: string
  needs: Tool[]
  /** Runs once, in the language's folder. */
  build?: [string, ...string[]]
  /** The client, in the language's folder. */
  client: [string, ...string[]]
}

/** Every language of examples/, and how its client is built and run. */
const LANGUAGES: Record<string, Language> = {
  TypeScript: {
    folder: 'typescript',
    needs: [],
    build: [process.execPath, join(root, 'node_modules/typescript/bin/tsc'), '-p', '.', '--outDir', join(out, 'ts')],
    client: [process.execPath, join(out, 'ts/client.js')],
  },
  Python: { folder: 'python', needs: ['python3'], client: ['python3', '-B', 'client.py'] },
  PHP: { folder: 'php', needs: ['php'], client: ['php', '-d', 'display_errors=stderr', 'client.php'] },
  Ruby: { folder: 'ruby', needs: ['ruby'], client: ['ruby', '-w', 'client.rb'] },
  Go: {
    folder: 'go',
    needs: ['go'],
    build: ['go', 'build', '-o', join(out, 'go-client'), '.'],
    client: [join(out, 'go-client')],
  },
  Java: {
    folder: 'java',
    needs: ['javac'],
    build: ['javac', '-Xlint:all', '-Werror', '-d', join(out, 'java'), 'PartnerSigning.java', 'Client.java'],
    client: ['java', '-cp', join(out, 'java'), 'Client'],
  },
  'C#': {
    folder: 'csharp',
    needs: ['mcs'],
    build: ['mcs', '-warnaserror', `-out:${join(out, 'client.exe')}`, 'PartnerSigning.cs', 'Client.cs'],
    client: ['mono', join(out, 'client.exe')],
  },
  shell: { folder: 'shell', needs: ['openssl', 'curl'], client: ['bash', 'client.sh'] },
}

interface Vector {
  id: string
  verdict: 'valid' | 'invalid' | 'free'
  credential: { secret: string }
  request: { method: string; target: string; body_base64: string }
  canonical_string: string
  signature: string
}

interface WebhookVector {
  id: string
  verdict: 'valid' | 'invalid'
  secret: string
  body_base64: string
  signature_header: string
}

const fixtures = JSON.parse(readFileSync(join(root, 'fixtures/signing-vectors.json'), 'utf8')) as {
  vectors: Vector[]
  webhook_vectors: WebhookVector[]
}
/** What a signer must arrive at. Of the same call signed with another nonce one is enough. */
const calls = fixtures.vectors.filter(({ verdict }) => verdict === 'valid').filter(isNew())
const webhooks = fixtures.webhook_vectors

let sandbox: RunningServer
beforeAll(async () => {
  sandbox = await startServer({ port: 0, operatorPort: 0 })
  // What is compiled are modules, as the package they come from says.
  symlinkSync(join(root, 'package.json'), join(out, 'package.json'))
})
afterAll(async () => {
  await sandbox.close()
})

it('has vectors enough to tell a right client from a wrong one', () => {
  expect(calls.length).toBeGreaterThan(250)
  expect(webhooks.filter(({ verdict }) => verdict === 'invalid').length).toBeGreaterThan(20)
})

describe.each(Object.entries(LANGUAGES))('the client in %s', (name, { folder, needs, build, client }) => {
  const cwd = join(examples, folder)
  const test = it.skipIf(lacks(...needs))

  function ask(args: string[], input = ''): Promise<string> {
    const [program, ...first] = client
    const main = sandbox.credentials.find(({ name }) => name === 'main')
    const env = {
      ...process.env,
      PARTNER_URL: sandbox.url,
      PARTNER_KEY_ID: main?.key_id,
      PARTNER_SECRET: main?.secret,
    }
    const running = run(program, [...first, ...args], { cwd, env, timeout: 230_000, maxBuffer: 1e8 })
    running.child.stdin?.end(input)
    return running.then(({ stdout, stderr }) => {
      expect(stderr).toBe('')
      return stdout
    })
  }

  beforeAll(async () => {
    if (build) await run(build[0], build.slice(1), { cwd })
  }, 60_000)

  test('arrives at the canonical string and the signature of every vector', { timeout: 240_000 }, async () => {
    const lines = (await ask(['vectors'], calls.map(callTask).join(''))).trimEnd().split('\n')
    const wrong = calls.flatMap((vector, i) => {
      const [canonical = '', signature] = (lines[i] ?? '').split(' ')
      const right = signature === vector.signature
      return right
        ? []
        : [{ id: vector.id, theirs: Buffer.from(canonical, 'base64').toString(), ours: vector.canonical_string }]
    })
    expect(wrong).toEqual([])
    expect(lines).toHaveLength(calls.length)
  })

  test('takes every valid webhook and refuses every other', { timeout: 60_000 }, async () => {
    const lines = (await ask(['vectors'], webhooks.map(webhookTask).join(''))).trimEnd().split('\n')
    const verdicts = webhooks.map(({ verdict }) => (verdict === 'valid' ? 'accepted' : 'refused'))
    expect(lines.map((line, i) => `${webhooks[i]?.id} ${line}`)).toEqual(
      verdicts.map((verdict, i) => `${webhooks[i]?.id} ${verdict}`),
    )
  })

  test('is let in by the sandbox, also with a query that needs care', async () => {
    const target = "/api/partner/v1/domains/search?q=it's+(sol%61r)!*&b=%F0%9F%98%80&a=&a"
    expect(await ask(['call', 'GET', target])).toMatch(/^200 \{/)
  })

  test('records an order once, however often it is sent, with bytes that no serialiser would write', async () => {
    const domain = `held-${Object.keys(LANGUAGES).indexOf(name) + 1}.test`
    const { price_cents } = JSON.parse((await ask(['call', 'GET', availability(domain)])).slice(4))
    const order = `{"domain" : "${domain}",\r\n "expected_price":${price_cents}, "currency":"USD","buyer":{"email":"m\\u0061x@example.test"}}\n`
    const file = join(out, `${folder}.json`)
    writeFileSync(file, order)
    const send = () => ask(['call', 'POST', '/api/partner/v1/orders', file, `order-${folder}`])
    const first = await send()
    expect(first).toMatch(/^201 \{"public_id":"ord_/)
    expect(await send()).toBe(first)
  })
})

function availability(domain: string): string {
  return `/api/partner/v1/availability?domain=${domain}`
}

function callTask({ request, credential, canonical_string }: Vector): string {
  const [, , , timestamp, nonce] = canonical_string.split('\n')
  const { method, target, body_base64 } = request
  // A GET signs no body, whatever a client may have sent.
  const body = method === 'GET' || method === 'HEAD' ? '' : body_base64
  return `call ${method} ${target} ${timestamp} ${nonce} ${base64(credential.secret)} ${body || '-'}\n`
}

function webhookTask({ secret, signature_header, body_base64 }: WebhookVector): string {
  return `webhook ${base64(secret)} ${base64(signature_header)} ${body_base64 || '-'}\n`
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64') || '-'
}

function isNew(): (vector: Vector) => boolean {
  const seen = new Set<string>()
  return ({ request, credential }) => {
    const asked = JSON.stringify([request.method, request.target, request.body_base64, credential.secret])
    return !seen.has(asked) && Boolean(seen.add(asked))
  }
}
