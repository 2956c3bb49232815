import { execFile } from 'node:child_process'
import { createHash, createHmac } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startSandbox } from '../support/sandbox.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { lacks } from '../support/tools.ts'
import { cli } from './run.ts'

const SECRET = 'sk_test_not-to-be-shown'
const KEY = ['--key-id', 'pk_test_1']
const env = { PARTNER_SECRET: SECRET }

interface Received {
  method: string
  target: string
  headers: Record<string, string>
  body: Buffer
}

describe('sign', () => {
  let server: Server
  let received: Received[]

  it.each([['sign', 'GET'], ['conform'], ['discover']])(
    'refuses a secret as the key id of %s before anything is sent, and does not show it',
    async (...command) => {
      const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      const { code, out, err } = await cli([...command, at, '--key-id', SECRET], { env })
      const says = 'error: --key-id: it begins with sk_, so it is a secret; a key id begins with pk_\n'
      expect([code, out, err, received]).toEqual([4, '', says, []])
    },
  )

  it.each(['\n', '"', ' '])(
    'refuses a secret that was pasted with %j behind it before anything is sent',
    async (rest) => {
      const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      const { code, err } = await cli(['conform', at, ...KEY], { env: { PARTNER_SECRET: SECRET + rest } })
      expect([code, received]).toEqual([4, []])
      expect(err).toMatch(/^error: PARTNER_SECRET begins or ends with white space or a quote/)
    },
  )

  beforeAll(async () => {
    received = []
    server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const { method = '', url: target = '' } = request
      received.push({ method, target, headers: request.headers as Record<string, string>, body: Buffer.concat(chunks) })
      response.end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  })

  afterAll(() => new Promise((resolve) => server.close(resolve)))

  function url(target: string): string {
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}${target}`
  }

  /** Sends what `sign --curl` prints, through a real shell and a real curl. */
  async function sendByCurl(args: string[]): Promise<Received> {
    const { out, code, err } = await cli(['sign', ...args, ...KEY, '--curl'], { env })
    expect([code, err]).toEqual([0, ''])
    expect(out).not.toContain(SECRET)
    await promisify(execFile)('bash', ['-c', out])
    return received.at(-1) as Received
  }

  it('prints the six lines that are signed, then the headers, and never the secret', async () => {
    const { code, out, err } = await cli(['sign', 'get', 'http://127.0.0.1:4600/a/b?z=1&a=x%20y', ...KEY], { env })
    expect([code, err]).toEqual([0, ''])
    const lines = out.split('\n')
    expect(lines.slice(0, 3)).toEqual(['GET', '/a/b', 'a=x%20y&z=1'])
    expect(lines[5]).toBe(createHash('sha256').update('').digest('hex'))
    expect(out).toContain(`X-Partner-Signature: ${signatureOf(lines.slice(0, 6).join('\n'))}`)
    expect(out).not.toContain(SECRET)
  })

  it('prints the same as JSON with --json', async () => {
    const { out } = await cli(['sign', 'GET', 'http://127.0.0.1:4600/a?b', ...KEY, '--json'], { env })
    const { canonical_string: text, headers } = JSON.parse(out)
    expect(text.split('\n').slice(0, 3)).toEqual(['GET', '/a', 'b='])
    expect(headers['X-Partner-Signature']).toBe(signatureOf(text))
  })

  it('says what is missing where a call is to be signed, and what is too much where a delivery is', async () => {
    const error = async (...args: string[]) => (await cli(['sign', ...args], { env })).err
    expect(await error('GET', ...KEY)).toMatch(/^error: give a verb and a URL/)
    expect(await error('GET', 'http://h/a')).toMatch(/^error: required option '--key-id <id>' not specified/)
    expect(await error('--webhook')).toBe('error: --webhook needs --body: text, or @FILE for the bytes of a file\n')
    expect(await error('--webhook', '--body', 'x', ...KEY)).toMatch(/^error: --webhook signs a body alone/)
  })

  it('prints headers alone with --headers', async () => {
    const { out } = await cli(['sign', 'GET', 'http://127.0.0.1:4600/a', ...KEY, '--headers'], { env })
    expect(out.split('\n').map((line) => line.split(':')[0])).toEqual([
      'X-Partner-Key-Id',
      'X-Partner-Timestamp',
      'X-Partner-Nonce',
      'X-Partner-Signature',
      '',
    ])
  })

  it('uses another nonce every time', async () => {
    const signed = async () => (await cli(['sign', 'GET', 'http://127.0.0.1:4600/a', ...KEY, '--headers'], { env })).out
    expect(await signed()).not.toBe(await signed())
  })

  it
    .skipIf(lacks('curl'))
    .each([
      '/api/partner/v1/domains/search?q=solar',
      "/a/../b//c/%2e%2e/d?x=it's%20*&y=[1]&z=$(id)&b=`id`&c=a%22b",
      '/?',
      '/a?b=&a&a=1',
    ])('sends %j exactly as it was signed', async (target) => {
    const call = await sendByCurl(['GET', url(target)])
    expect(call.target).toBe(target)
    expect(call.headers['x-partner-signature']).toBe(signatureOf(canonicalOf(call)))
  })

  it
    .skipIf(lacks('curl'))
    .each(['{"name":"it\'s $HOME `id` \\\\ \\"x\\" é 日本"}', '@not-a-file', '{\n\t"a": 1\r\n}\n', ' '])(
    'sends the body %j byte for byte',
    async (body) => {
      const directory = tempFolder()
      const file = join(directory, "it's a body.json")
      writeFileSync(file, body)
      const argument = body.startsWith('@') ? `@${file}` : body
      const call = await sendByCurl(['POST', url('/quotes'), '--body', argument, '--idempotency-key', 'key-1'])
      expect(call.body.toString('utf8')).toBe(body)
      expect(call.headers['x-partner-signature']).toBe(signatureOf(canonicalOf(call)))
      expect(call.headers).toMatchObject({ 'content-type': 'application/json', 'idempotency-key': 'key-1' })
    },
  )

  it.skipIf(lacks('curl'))('sends bytes of a file that are no text', async () => {
    const file = join(tempFolder(), 'body.bin')
    writeFileSync(file, Buffer.from([0, 255, 10, 13, 128]))
    const call = await sendByCurl(['POST', url('/quotes'), '--body', `@${file}`])
    expect([...call.body]).toEqual([0, 255, 10, 13, 128])
    expect(call.headers['x-partner-signature']).toBe(signatureOf(canonicalOf(call)))
  })

  it.each([
    [
      ['GET', '/relative'],
      'error: the URL must be absolute, e.g. http://127.0.0.1:4600/api/partner/v1/orders, not "/relative"\n',
    ],
    [
      ['GET', 'http://h/a#b'],
      'error: the URL has a fragment (#), which is never sent; write %23 for the character itself\n',
    ],
    [['GET', 'http://h/ü'], 'error: the URL holds a space or a non-ASCII character; percent-encode it\n'],
    [
      ['GET', 'http://h/a?x=%zz'],
      'error: the URL cannot be signed: the query holds a percent escape that cannot be decoded as UTF-8\n',
    ],
    [['G T', 'http://h/a'], 'error: the method must be an HTTP verb, not "G T"\n'],
    [
      ['GET', 'http://h/a', '--curl', '--headers'],
      'error: --curl, --headers and --json are different outputs; give one of them\n',
    ],
    [['POST', 'http://h/a', '--body', '@/no/such/file'], 'error: --body /no/such/file: no such file\n'],
    [
      ['POST', 'http://h/a', '--body', '@https://h/b'],
      'error: --body https://h/b: this is an address, where a file is needed\n',
    ],
    [
      ['POST', 'http://h/a', '--idempotency-key', ''],
      "error: option '--idempotency-key <key>' argument '' is invalid. It must not be empty; see partner-sandbox sign --help\n",
    ],
    [
      ['POST', 'http://h/a', '--idempotency-key', 'a\nb: c'],
      'error: Idempotency-Key may hold visible ASCII characters only\n',
    ],
  ])('refuses %j with exit code 4', async (args, message) => {
    expect(await cli(['sign', ...args, ...KEY], { env })).toEqual({ code: 4, out: '', err: message })
  })

  it('takes the secret from the variable that --secret-env names', async () => {
    const { out } = await cli(['sign', 'GET', 'http://h/a', ...KEY, '--secret-env', 'OTHER'], {
      env: { OTHER: SECRET },
    })
    expect(out).toContain(signatureOf(out.split('\n').slice(0, 6).join('\n')))
  })

  it('has the sandbox sign for a key of the world that is named, whatever PARTNER_SECRET is; the environment for any other', async () => {
    const sandbox = await startSandbox()
    const { key_id = '', secret = '' } = sandbox.credentials[0] ?? {}
    const around = { env: { ...env, PARTNER_SANDBOX_URL: sandbox.operator?.url ?? '' } }
    const signed = async (keyId: string, ...more: string[]) => {
      const { out } = await cli(['sign', 'GET', 'http://h/a', '--key-id', keyId, ...more], around)
      const by = (value: string) => out.includes(signatureOf(out.split('\n').slice(0, 6).join('\n'), value))
      return { sandbox: by(secret), environment: by(SECRET) }
    }
    const [SANDBOX, ENVIRONMENT] = [
      { sandbox: true, environment: false },
      { sandbox: false, environment: true },
    ]
    const here = ['--world', 'default']
    expect(await signed(key_id)).toEqual(ENVIRONMENT)
    expect(await signed(key_id, ...here)).toEqual(SANDBOX)
    expect(await signed(key_id, ...here, '--secret-env', 'PARTNER_SECRET')).toEqual(ENVIRONMENT)
    expect(await signed('pk_test_1', ...here)).toEqual(ENVIRONMENT)
    expect(await signed(key_id, '--world', 'nowhere')).toEqual(ENVIRONMENT)
    expect(await signed(key_id, ...here, '--sandbox', 'http://127.0.0.1:1')).toEqual(ENVIRONMENT)
  })

  it('says where it looked when there is no secret', async () => {
    expect(await cli(['sign', 'GET', 'http://h/a', ...KEY, '--sandbox', 'http://127.0.0.1:1'])).toEqual({
      code: 4,
      out: '',
      err: 'error: no secret for pk_test_1: PARTNER_SECRET is not set and no sandbox answers at http://127.0.0.1:1\n',
    })
    expect((await cli(['sign', 'GET', 'http://h/a', ...KEY, '--sandbox', 'http://192.0.2.1:4601'])).err).toBe(
      'error: no secret for pk_test_1: set PARTNER_SECRET, or name another variable with --secret-env\n',
    )
  })
})

/** Made here on purpose, without our signing code. */
function signatureOf(canonical: string, secret = SECRET): string {
  return `v1=${createHmac('sha256', secret).update(canonical).digest('hex')}`
}

function canonicalOf({ method, target, headers, body }: Received): string {
  const [path = '', ...rest] = target.split('?')
  const pairs = [...new URLSearchParams(rest.join('?'))].sort(([a, x], [b, y]) =>
    a < b ? -1 : a > b ? 1 : x < y ? -1 : 1,
  )
  const encode = (text: string) =>
    encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
  const query = pairs.map(([key, value]) => `${encode(key)}=${encode(value)}`).join('&')
  const digest = createHash('sha256')
    .update(method === 'GET' ? '' : body)
    .digest('hex')
  return [method, path, query, headers['x-partner-timestamp'], headers['x-partner-nonce'], digest].join('\n')
}
