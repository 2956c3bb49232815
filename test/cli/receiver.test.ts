import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Came, eventOf, type Handle, NO, OK, SECRET, serve, valid } from '../receiver/receivers.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { startTlsServer } from '../support/tls-server.ts'
import { cli } from './run.ts'

const env = { HOOK_SECRET: SECRET, GATEWAY_TOKEN: 'Bearer gate-4711' }

async function served(handle: Handle): Promise<string> {
  const { url, close } = await serve(handle)
  onTestFinished(close)
  return url
}

function judge(url: string, ...more: string[]) {
  return cli(['receiver', url, '--secret-env', 'HOOK_SECRET', ...more], { env })
}

function fileWith(text: string): string {
  const file = join(tempFolder(), 'events.json')
  writeFileSync(file, text)
  return file
}

const ORDER = { public_id: 'ord_mine', domain: 'mine.test', status: 'SETTLED', sale_price_cents: 100, currency: 'EUR' }

describe('partner-sandbox receiver', () => {
  it('says what it will send, what it cannot see, and ends with 0 for a correct receiver', async () => {
    const url = await served(valid())
    const { code, out, err } = await judge(url)
    expect(err).toMatch(/^28 scenarios of deliveries to http:\/\/127\.0\.0\.1:\d+\/hooks\.\n/)
    expect(err).toContain('Not observable without --effects-url: RECV-26, RECV-27\n')
    expect(out).toContain('Sent to the receiver\n')
    expect(out).toMatch(/\nUsed +\d+ requests, [\d.]+ s\n/)
    expect(out).toMatch(/\nVerdict +conforming: All \d+ requirements of this run passed\.\n/)
    expect(code).toBe(0)
  })

  it('ends with 1 for one that accepts everything, and shows the delivery, the cause and how to send it again', async () => {
    const url = await served(() => OK)
    const { code, out } = await judge(url, '--only', 'signature/form')
    expect(code).toBe(1)
    expect(out).toMatch(/\n {2}delivery +POST, answered 200 after \d+ ms\n/)
    const whole = (await judge(url, '--only', 'signature/form', '--verbose')).out
    expect(whole).toContain('X-Partner-Signature: v1=[64 characters, lower-case hex]\n')
    const [, failure = ''] = whole.split('signature/form > prefix_v1\n')
    const took = [...(failure.split('signature/form > ')[0] ?? '').matchAll(/after (\d+) ms/g)].map(([, ms]) => ms)
    expect(took.length).toBeGreaterThan(1)
    expect(new Set(took).size).toBe(1)
    expect(out).toContain(
      '  note          only the runner sends this call: a delivery that is signed wrongly on purpose\n',
    )
    expect(out).toContain(
      `reproduce     npx partner-sandbox receiver ${url} --secret-env HOOK_SECRET --only signature/form\n`,
    )
  })

  it('ends with 2 where it was narrowed, and with 0 where that is allowed', async () => {
    const url = await served(valid())
    expect((await judge(url, '--requirement', 'RECV-24')).code).toBe(2)
    expect((await judge(url, '--requirement', 'RECV-24', '--allow-unverified')).code).toBe(0)
  })

  it('writes the other reports as well', async () => {
    const file = fileWith('')
    await judge(await served(() => NO), '--reporter', 'pretty', '--reporter', `junit=${file}`)
    expect(readFileSync(file, 'utf8')).toMatch(/<testsuites [^>]*failures="[1-9]/)
  })

  it('ends with 6 where nobody listens', async () => {
    const file = fileWith('')
    const { code, out, err } = await judge(
      'http://127.0.0.1:1/hooks',
      '--reporter',
      'pretty',
      '--reporter',
      `junit=${file}`,
    )
    expect([code, out]).toEqual([6, ''])
    expect(readFileSync(file, 'utf8')).toMatch(
      /errors="1" skipped="\d+" .*no connection: ECONNREFUSED: nothing listens there: No check ran/s,
    )
    expect(err).toContain(
      'error: http://127.0.0.1:1/hooks: no connection: ECONNREFUSED: nothing listens there; check the address, and that the receiver is running\n',
    )
  })

  it('takes any certificate only where that is said, and says so', async () => {
    const server = await startTlsServer(
      (socket) => void socket.end('HTTP/1.1 401 No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n'),
    )
    onTestFinished(() => server.close())
    const strict = await judge(`${server.origin}/hooks`)
    expect([strict.code, strict.err]).toEqual([6, expect.stringContaining('; --insecure accepts any certificate\n')])
    const lax = await judge(`${server.origin}/hooks`, '--insecure')
    expect([lax.code, lax.err]).toEqual([1, expect.stringMatching(/^warning: --insecure accepts any certificate/)])
  })

  it('sends headers for a gateway, and shows none that came from the environment', async () => {
    const seen: Came[] = []
    const url = await served((came) => {
      seen.push(came)
      if (came.headers.authorization !== 'Bearer gate-4711') return { status: 403, body: 'who are you?' }
      return {
        ...(valid()(came) as object),
        status: (valid()(came) as { status: number }).status,
        body: came.headers.authorization,
      }
    })
    const { code, out } = await judge(
      url,
      '--header',
      'Authorization=${env:GATEWAY_TOKEN}',
      '--header',
      'X-Stage=blue',
      '--reporter',
      'ndjson',
    )
    expect(seen.every(({ headers }) => headers['x-stage'] === 'blue')).toBe(true)
    expect(out).not.toContain('gate-4711')
    expect(code).toBe(0)
  })

  it('uses payloads of your own, under ids that nobody has seen', async () => {
    const seen: Came[] = []
    const url = await served((came) => {
      seen.push(came)
      return valid()(came)
    })
    const events = fileWith(JSON.stringify([{ id: 'evt_1', type: 'order.settled', data: { order: ORDER } }]))
    const { code } = await judge(url, '--events', events, '--only', 'events/*')
    expect(code).toBe(2)
    const settled = seen.map(eventOf).filter(({ data }) => data.order?.public_id === 'ord_mine')
    expect(settled.length).toBeGreaterThanOrEqual(2)
    expect(settled[0]).toMatchObject({ type: 'order.settled', data: { order: ORDER } })
    expect(new Set(settled.map(({ id }) => id)).size).toBe(settled.length)
  })

  it('sees through --effects-url what was dealt with', async () => {
    const known = new Set<string>()
    const handle: Handle = (came) => {
      if (came.url === '/done') return { status: 200, body: JSON.stringify({ events: [...known] }) }
      const reply = valid()(came) as { status: number }
      if (reply.status === 200) known.add(eventOf(came).id)
      return reply
    }
    const { url, origin, close } = await serve(handle)
    onTestFinished(close)
    const { code, out, err } = await judge(url, '--effects-url', `${origin}/done#/events`)
    expect(err).not.toContain('Not observable')
    expect(out).toContain('27 passed')
    expect(code).toBe(0)
  })

  it.each([
    [['--secret-env', 'NO_SUCH'], '--secret-env: the environment has no NO_SUCH, or it is empty'],
    [['--only', 'signature/fom'], '--only: no scenario is called "signature/fom"; did you mean "signature/form"?'],
    [['--requirement', 'RECV-99'], '--requirement: no such requirement for receivers: "RECV-99"; did you mean "RECV-'],
    [['--only', 'no/such'], '--only: no scenario is called "no/such"; there are events/first, '],
    [['--requirement', 'RECV-99'], '--requirement: no such requirement for receivers: "RECV-99"'],
    [['--requirement', 'RECV-26'], '--requirement: RECV-26 can only be seen with --effects-url'],
    [['--only', 'events/old', '--requirement', 'RECV-03'], 'no scenario matches --only and --requirement'],
    [['--timeout', '3s'], '--timeout: it must be from 6s to 2m'],
    [
      ['--header', 'Authorization=Bearer x'],
      '--header: Authorization holds a secret, which the list of processes would show; write Authorization=${env:VARIABLE}',
    ],
    [['--header', 'X-Token=${env:NO_SUCH}'], '--header: the environment has no NO_SUCH, or it is empty'],
    [
      ['--header', 'X-Partner-Signature=1'],
      '--header: X-Partner-Signature is part of every delivery and cannot be changed',
    ],
    [['--header', 'nothing'], '--header: it must be NAME=VALUE or NAME=${env:VARIABLE}'],
    [['--effects-url', 'http://localhost/#count'], '--effects-url: the part after # must be a JSON pointer'],
    [['--events', '/no/such.json'], '--events /no/such.json: no such file'],
  ])('refuses %j before it sends anything', async (more, message) => {
    const { code, out, err } = await cli(
      ['receiver', 'http://127.0.0.1:1/hooks', '--secret-env', 'HOOK_SECRET', ...more],
      { env },
    )
    expect([code, out]).toEqual([4, ''])
    expect(err).toContain(`error: ${message}`)
  })

  it('says what is wrong with events of your own', async () => {
    const events = fileWith(
      JSON.stringify([
        { type: 'order.settled', data: { order: { ...ORDER, sale_price_cents: '100' } } },
        { type: 'x' },
      ]),
    )
    const { err } = await judge('http://127.0.0.1:1/hooks', '--events', events)
    expect(err).toContain(
      'event 1: "data.order.sale_price_cents" must be a whole number of cents; event 2: "type" must be one of order.recorded, ',
    )
  })

  it.each(['ftp://localhost/hooks', 'localhost:3000', 'http://user:word@localhost/hooks'])(
    'refuses the address %s',
    async (url) => {
      const { code, err } = await judge(url)
      expect(code).toBe(4)
      expect(err).toMatch(/^error: the address of the receiver /)
    },
  )
})
