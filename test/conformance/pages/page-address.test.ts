import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { wallClock } from '../../../src/clock/wall-clock.ts'
import { realmOfHost, whyNotOpen } from '../../../src/conformance/http/address.ts'
import { createSender } from '../../../src/conformance/http/send.ts'

const HERE = {
  targetUrl: 'http://127.0.0.1:4600',
  operatorUrl: 'http://127.0.0.1:4601',
  targetRealm: 'this machine',
} as const
const ELSEWHERE = { targetUrl: 'https://api.example.test', targetRealm: 'anywhere' } as const

/** A name server of the target's own. */
const NAMES: Record<string, string[]> = {
  'pay.example.test': ['8.8.4.4'],
  'here.example.test': ['127.0.0.1'],
  'inside.example.test': ['10.1.2.3'],
  'cloud.example.test': ['169.254.169.254'],
  'both.example.test': ['8.8.4.4', '10.1.2.3'],
}
const resolve = async (name: string) => {
  const addresses = NAMES[name]
  if (!addresses) throw new Error('ENOTFOUND')
  return addresses.map((address) => ({ address, family: 4 }))
}
const why = (
  url: string,
  of: { targetUrl: string; targetRealm: Awaited<ReturnType<typeof realmOfHost>>; operatorUrl?: string },
) => whyNotOpen(new URL(url), of, resolve)

it.each([
  ...['http://127.0.0.1/', 'http://localhost./', 'http://a.localhost/', 'http://2130706433/', 'http://0x7f.1/'],
  ...['http://0.0.0.0/', 'http://[::1]/', 'http://[::]/', 'http://[::ffff:127.0.0.1]/', 'http://10.1.2.3/'],
  ...['http://192.168.0.1/', 'http://172.31.0.1/', 'http://100.64.0.1/', 'http://[fd00::1]/', 'http://[fe80::1]/'],
  ...['http://169.254.169.254/latest', 'http://metadata.google.internal/', 'http://[::ffff:169.254.169.254]/'],
  ...['http://[64:ff9b::a01:203]/', 'http://[2002:a01:203::1]/', 'http://[::a01:203]/', 'http://[fd00:ec2::254]/'],
  ...[
    'http://here.example.test/',
    'http://inside.example.test/',
    'http://cloud.example.test/',
    'http://both.example.test/',
  ],
])('a target elsewhere does not get %s opened', async (url) => {
  expect(await why(url, ELSEWHERE)).toMatch(/^the target gives out/)
})

it('a page may be at another host of the world', async () => {
  expect(await why('https://pay.example.test/session', ELSEWHERE)).toBeNull()
  expect(await why('http://8.8.8.8/', ELSEWHERE)).toBeNull()
})

it('a target on this machine has its pages here, but neither at the operator nor at link-local addresses', async () => {
  expect(await why('http://localhost:9000/pay', HERE)).toBeNull()
  expect(await why('http://here.example.test/pay', HERE)).toBeNull()
  expect(await why('http://127.0.0.1:4601/', HERE)).toBe("the target gives out the operator's address for a page")
  expect(await why('http://169.254.169.254/', HERE)).toMatch(/link-local/)
  expect(await why('http://10.1.2.3/', HERE)).toMatch(/a private network/)
})

it('the host of a target is no way in, once its name stands for another place than at the start', async () => {
  const rebound = { ...ELSEWHERE, targetUrl: 'https://inside.example.test' }
  expect(await why('https://inside.example.test/pay', rebound)).toMatch(/a private network/)
})

it('a name that stands for a public and a private address is public, so that it opens nothing private', async () => {
  expect(await realmOfHost('both.example.test', resolve)).toBe('anywhere')
  expect(await realmOfHost('inside.example.test', resolve)).toBe('private')
  expect(await realmOfHost('[::1]', resolve)).toBe('this machine')
})

it('a name that stands for another address by the time a connection is opened is not followed there', async () => {
  let connections = 0
  const server = createServer((_, response) => response.end('inside'))
  server.on('connection', () => (connections += 1))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const send = (mayReach: (address: string) => boolean) => {
    const origin = `http://here.example.test:${port}`
    const sender = createSender({ origin, wall: wallClock, resolve, mayReach })
    onTestFinished(() => sender.close())
    return sender.send({ method: 'GET', target: '/', headers: [], body: new Uint8Array() })
  }
  expect(await send((address) => address !== '127.0.0.1')).toMatchObject({ broken: { reason: 'unreachable' } })
  expect(connections).toBe(0)
  expect(await send(() => true)).toMatchObject({ broken: null })
})
