import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { type CurlRequest, curlCommand } from '../../src/contract/curl-command.ts'
import { listening } from '../support/listening.ts'
import { INSTALLED_SHELLS } from '../support/shells.ts'
import { sampleOf } from '../support/size.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { lacks } from '../support/tools.ts'

type Sent = Pick<CurlRequest, 'method' | 'target' | 'headers'> & { readonly body: string | Uint8Array | null }

const TARGETS = [
  ...[
    '/',
    '/?',
    '/a/../b//c/%2e%2e/d',
    '//evil.invalid/x',
    '/\\evil.invalid',
    '/a?domain=[1-3]&q={a,b}',
    '/@evil.invalid',
  ],
  ...[
    "/a?x=';touch$IFS'RAN';",
    '/a?x=$(touch$IFS./RAN)',
    '/a?x=`touch<RAN`',
    '/a?x="&y=|z',
    '/a?b=&a&a=1',
    '/a?x=%zz',
    '/:1',
  ],
]

const HEADERS: CurlRequest['headers'][] = [
  [['A', 'b c']],
  [['Empty', '']],
  [['Blank', '   ']],
  [['A', '@/etc/hostname']],
  [['A', "'; touch RAN #"]],
  [['A', '$(touch RAN)']],
  [
    ['A', '1'],
    ['A', '2'],
    ['a', '3'],
  ],
  [['-K', 'x']],
  [['A', 'x;']],
]

const BODIES: (string | Uint8Array)[] = [
  ...[
    '{"a": 1}',
    '@/etc/hostname',
    '@-',
    '-',
    ' ',
    '\n',
    '{\n "note": "it\'s; touch RAN #"\n}',
    "\u0080'; touch RAN #",
  ],
  ...[
    'a\tb',
    '\r\n',
    '\u001b[201~\ntouch RAN\n',
    '\u202e',
    '\ufeff{}',
    'é 日本 😀',
    '\\',
    '%s%n',
    '&&',
    '--next',
    '<@file',
  ],
  ...['x'.repeat(300_000), 'a=b&c=d'],
  ...[Uint8Array.from({ length: 512 }, (_, at) => at % 256), Uint8Array.of(0), Uint8Array.of(0xff, 10, 10)],
]

const CALLS: Sent[] = [
  ...TARGETS.map((target) => ({ method: 'GET', target, headers: [], body: null })),
  ...HEADERS.map((headers) => ({ method: 'GET', target: '/headers', headers, body: null })),
  ...BODIES.map((body) => ({ method: 'POST', target: '/body', headers: [['Content-Type', 'a/b'] as const], body })),
  { method: 'HEAD', target: '/head', headers: [], body: null },
  { method: 'GET', target: '/read', headers: [], body: '{}' },
  { method: 'POST', target: '/untyped', headers: [], body: '{}' },
]

/** Those that curl adds. */
const OF_CURL = ['host', 'user-agent', 'accept', 'content-length', 'expect', 'connection', 'transfer-encoding']

/** A server that keeps what it was sent. */
async function startSink(): Promise<{ origin: string; received: Sent[] }> {
  const received: Sent[] = []
  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = '', url: target = '', rawHeaders } = request
    const headers = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? ''] as const] : []))
    const own = headers.filter(([name]) => !OF_CURL.includes(name.toLowerCase()))
    received.push({ method, target, headers: own, body: chunks.length === 0 ? null : Buffer.concat(chunks) })
    response.end()
  })
  return { origin: await listening(server), received }
}

function asReceived(call: Sent): Sent {
  const headers = call.headers.map(([name, value]) => [name, value.trim()] as const)
  return { ...call, headers, body: call.body === null ? null : Buffer.from(call.body) }
}

async function run(program: string, args: string[], script: string, cwd: string) {
  const shell = spawn(program, args, { cwd, stdio: 'pipe' })
  shell.stdin.end(script)
  const [out, err] = await Promise.all([text(shell.stdout), text(shell.stderr), once(shell, 'close')])
  return { out, err }
}

function lineFor(call: CurlRequest): string {
  const command = curlCommand(call)
  return 'line' in command ? command.line : expect.fail(command.impossible)
}

describe.skipIf(lacks('curl')).each(INSTALLED_SHELLS)(
  'a curl command in $name',
  ({ at, start: [program, ...args] }) => {
    it('sends exactly the request, and nothing in it runs', async () => {
      const folder = tempFolder()
      const { origin, received } = await startSink()
      // Each call is a process of its own, and what one shell takes literally, the others seldom do not: each has calls of its own.
      for (const call of sampleOf(CALLS, 14, at)) {
        const script = `${lineFor({ ...call, origin })}\n`
        expect(await run(program, args, script, folder)).toEqual({
          out: call.method === 'HEAD' ? expect.any(String) : '',
          err: '',
        })
        expect(received.splice(0), script.slice(0, 500)).toEqual([asReceived(call)])
      }
      expect(readdirSync(folder)).toEqual([])
    })
  },
)

describe('curlCommand', () => {
  const request: CurlRequest = {
    method: 'POST',
    origin: 'http://127.0.0.1:1',
    target: '/a/../b',
    headers: [],
    body: null,
  }

  it('sends the body as it stands, and reads a file only where the caller names one', () => {
    const headers = [['A', 'b c'] as const, ['Empty', ''] as const, ['content-type', 'a/b'] as const]
    expect(lineFor({ ...request, headers, body: '{"a": 1}' })).toBe(
      "curl -sS --globoff --path-as-is -X POST http://127.0.0.1:1/a/../b -H 'A: b c' -H 'Empty;' -H 'content-type: a/b' --data-raw '{\"a\": 1}'",
    )
    expect(lineFor({ ...request, body: '@/etc/hostname' })).toContain('--data-raw @/etc/hostname')
    expect(lineFor({ ...request, body: { file: 'a b.json' } })).toContain("--data-binary '@a b.json'")
  })

  it.each<[string, Partial<CurlRequest>, string]>([
    ['a target on another host', { target: '@evil.invalid/' }, 'its target as it is'],
    ['a whole URL as target', { target: 'http://evil.invalid/' }, 'its target as it is'],
    ['a target with a fragment', { target: '/a#b' }, 'its target as it is'],
    ['a target with a space', { target: '/a b' }, 'its target as it is'],
    ['a target with a letter outside ASCII', { target: '/é' }, 'its target as it is'],
    ['a header with a line feed', { headers: [['A', 'b\nC: d']] }, 'its header "A" as it is'],
    ['a header with a letter outside ASCII', { headers: [['A', 'é']] }, 'its header "A" as it is'],
    ['a header that would name a file', { headers: [['@/etc/hostname', 'x']] }, 'its header "@/etc/hostname" as it is'],
    ['a header with a colon in its name', { headers: [['A:', 'x']] }, 'its header "A:" as it is'],
    ['a body behind HEAD', { method: 'HEAD', body: 'x' }, 'no body with HEAD'],
    ['a method of two words', { method: 'GET x' }, 'its method'],
  ])('says that curl cannot send %s', (_what, change, why) => {
    expect(curlCommand({ ...request, ...change })).toEqual({ impossible: expect.stringContaining(why) })
  })
})
