import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { selfSigned } from '../support/tls-server.ts'
import { passThrough, rawTarget } from './support.ts'

/** A target that speaks TLS with a certificate that nobody knows, and how a client may trust it. */
async function tlsTarget() {
  const pair = selfSigned()
  const server = createServer(pair, (request, response) => response.end(`${request.headers.host} ${request.url}`))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    return new Promise<void>((resolve) => void server.close(() => resolve()))
  })
  const { port } = server.address() as AddressInfo
  return { port, ca: pair.cert }
}

it('a certificate that is not trusted is a 502 that says so, whatever the environment says', async () => {
  const { port } = await tlsTarget()
  const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED']
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
  onTestFinished(() => {
    if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
    else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before
  })
  const { url } = await passThrough(`https://localhost:${port}`)
  const answer = await fetch(url)
  expect([answer.status, answer.headers.get('x-partner-sandbox-proxy')]).toEqual([502, 'no-answer'])
  expect(await answer.text()).toMatch(
    /its certificate is self-signed, and not trusted; --ca may name a file with its issuer\n$/,
  )
})

it('one that is named is trusted, for its own name only', async () => {
  const { port, ca } = await tlsTarget()
  const trusting = await passThrough(`https://localhost:${port}`, { ca })
  expect(await (await fetch(`${trusting.url}/x?y=1`)).text()).toBe(`localhost:${port} /x?y=1`)
  const misnamed = await passThrough(`https://127.0.0.1:${port}`, { ca })
  const answer = await fetch(misnamed.url)
  expect([answer.status, await answer.text()]).toEqual([
    502,
    expect.stringMatching(/its certificate is for another host name\n$/),
  ])
})

it('a scheme that is not that of the target is said to be', async () => {
  const tls = await tlsTarget()
  const overHttp = await passThrough(`http://127.0.0.1:${tls.port}`)
  expect(await (await fetch(overHttp.url)).text()).toMatch(/: it closed the connection; perhaps it speaks https\n$/)
  const plain = await rawTarget((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
  const overTls = await passThrough(plain.url.replace('http:', 'https:'))
  expect(await (await fetch(overTls.url)).text()).toMatch(/: what listens there speaks no TLS: try http\n$/)
})
