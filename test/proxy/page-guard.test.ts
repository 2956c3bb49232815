import { createServer } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startProxy } from '../../src/proxy/start-proxy.ts'
import { listening } from '../support/listening.ts'
import { exchangeBytes } from './support.ts'

/** What a call with these headers is answered by a proxy in front of a target that answers 200. */
async function statusFor(headers: readonly string[], host = '127.0.0.1') {
  const target = await listening(createServer((_request, response) => response.end('from the target')))
  const proxy = await startProxy({ target, credentials: [], port: 0, operatorPort: 0, host })
  onTestFinished(proxy.close)
  const sent = `GET / HTTP/1.1\r\n${headers.join('\r\n')}\r\nConnection: close\r\n\r\n`
  const { received } = await exchangeBytes(proxy.url, sent)
  return Number(received.split(' ')[1])
}

describe('a call that a web page may have made is not passed on', () => {
  it.each([
    ['under a rebound name', ['Host: attacker.com:4610']],
    ['under a rebound name that begins like ours', ['Host: 127.0.0.1.attacker.com']],
    ['with two Hosts', ['Host: 127.0.0.1', 'Host: attacker.com']],
    ['of another site', ['Host: 127.0.0.1:4610', 'Origin: https://attacker.com']],
    ['of no site', ['Host: 127.0.0.1:4610', 'Origin: null']],
    ['of another site, without its name', ['Host: localhost:4610', 'Sec-Fetch-Site: cross-site']],
  ])('%s', async (_name, headers) => {
    expect([400, 403]).toContain(await statusFor(headers))
  })
})

describe('a call of a program is passed on', () => {
  it.each([
    ['to loopback', ['Host: 127.0.0.1:4610']],
    ['to localhost', ['Host: localhost:4610']],
    ['to IPv6', ['Host: [::1]:4610']],
    ['from a container', ['Host: host.docker.internal:4610']],
    ['to a service of a compose file', ['Host: proxy:4610']],
    [
      'from a page of this machine',
      ['Host: localhost:4610', 'Origin: http://localhost:3000', 'Sec-Fetch-Site: same-site'],
    ],
  ])('%s', async (_name, headers) => {
    expect(await statusFor(headers)).toBe(200)
  })

  it('under any name beyond loopback', async () => {
    expect(await statusFor(['Host: proxy.ci.company.com'], '0.0.0.0')).toBe(200)
  })
})
