import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { expect, it, onTestFinished } from 'vitest'
import { callAfter } from '../../src/clock/wall-clock.ts'
import { REPORTER_NAMES } from '../../src/conformance/reports/reporters.ts'
import { REPORTERS } from '../conformance/reporters/rendering.ts'
import { startRawServer } from '../support/raw-server.ts'
import { judge, judgeAt } from './judge.ts'
import { isGenuine, SECRET } from './receivers.ts'

function drip(socket: Socket, text: string): void {
  if (text === '' || socket.destroyed) return
  socket.write(text.slice(0, 1))
  callAfter(20, () => drip(socket, text.slice(1)))
}

const FOR_PROGRAMS = new Set(['json', 'ndjson', 'har', 'ctrf'])

const BOMB = gzipSync(Buffer.alloc(20 * 1024 * 1024))
const HEAD = 'HTTP/1.1 200 OK\r\n'

const HOSTILE: Readonly<Record<string, (socket: Socket) => unknown>> = {
  'drips its answer': (socket) => drip(socket, `${HEAD}content-length: 1000\r\n\r\n${'x'.repeat(1_000)}`),
  'resets the connection': (socket) => socket.resetAndDestroy(),
  'speaks no HTTP': (socket) => socket.end('220 mail.example.test ESMTP\r\n'),
  'never ends its head': (socket) => socket.write(`${HEAD}x: ${'y'.repeat(200_000)}`),
  'never ends its body': (socket) => socket.write(`${HEAD}\r\n${'z'.repeat(3 * 1024 * 1024)}`),
  'says two lengths': (socket) => socket.end(`${HEAD}content-length: 1\r\ncontent-length: 2\r\n\r\nab`),
  'answers with interim answers alone': (socket) => socket.write('HTTP/1.1 100 Continue\r\n\r\n'.repeat(200)),
}

it.each(Object.entries(HOSTILE))('what %s is never green, and never our fault', async (_, act) => {
  const server = await startRawServer((socket) => act(socket))
  onTestFinished(() => server.close())
  const result = await judgeAt(`${server.origin}/hooks`, { timeoutMs: 300, deadlineMs: 250 })
  expect(result.verdict).toBe('non_conforming')
  expect(result.summary.checks.harness_error).toBe(0)
})

it('what is packed, no text or markup in an answer is left alone, and does no harm in any report', async () => {
  const answers = [
    { headers: { 'content-encoding': 'gzip' }, body: BOMB },
    { headers: {}, body: Buffer.from('ff00fec3281b5b324a', 'hex') },
    { headers: { 'x-note': '<b>&"' }, body: '\u001b[31m]]>--><script>alert(1)</script>::error::no' },
  ]
  let turn = 0
  const result = await judge((came) => {
    const { headers, body } = answers[turn++ % answers.length] as {
      headers: Record<string, string>
      body: Buffer | string
    }
    return { status: isGenuine(came.raw, came.header) ? 200 : 401, headers, body }
  })
  expect(result.verdict).toBe('conforming')
  for (const name of REPORTER_NAMES) {
    const text = REPORTERS[name].render(result, { color: false, invocation: 'partner-sandbox receiver' })
    expect(text.includes(SECRET)).toBe(false)
    // Programs read JSON, in which markup is a text like any other.
    if (!FOR_PROGRAMS.has(name)) expect(text.includes('<script>alert')).toBe(false)
  }
}, 30_000)

it('a receiver that parses a body before it verifies it is told so, and what to do about what this leaves open', async () => {
  const { scenarios } = await judge(
    (came) => {
      JSON.parse(came.raw.toString('utf8'))
      return { status: isGenuine(came.raw, came.header) ? 200 : 401 }
    },
    { only: ['signature/body', 'signature/strange'] },
  )
  const told = scenarios
    .flatMap(({ checks }) => checks)
    .filter(({ verdict }) => verdict === 'fail' || verdict === 'inconclusive')
    .map(({ step, requirement, verdict, note, todo }) => [step, requirement, verdict, todo ?? note])
  const parsed = expect.stringMatching(/^the body is parsed before its signature is verified/)
  expect(told).toEqual([
    ['emptied', 'RECV-08', 'inconclusive', expect.stringMatching(/^Make the receiver refuse this delivery with a 4xx/)],
    ['emptied', 'RECV-11', 'fail', parsed],
    ['body_no_json', 'RECV-11', 'fail', parsed],
    ['body_no_utf8', 'RECV-11', 'fail', parsed],
  ])
})

it('a signature that a receiver gives away does not get into a report', async () => {
  const { createHmac } = await import('node:crypto')
  const told: string[] = []
  const result = await judge(
    (came) => {
      if (isGenuine(came.raw, came.header)) return { status: 200 }
      const right = createHmac('sha256', SECRET).update(came.raw).digest('hex')
      told.push(right)
      return { status: 401, body: `expected ${right}` }
    },
    { transcript: 'all' },
  )
  const text = JSON.stringify(result)
  // A signature that was sent is masked wherever it stands, so only the others are of interest here.
  expect(told.filter((right) => text.includes(right))).toEqual([])
}, 30_000)
