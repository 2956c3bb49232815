import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { sandboxOfFile } from '../../support/sandbox.ts'

const shared = sandboxOfFile()

/** All that is answered to these bytes until the server ends the connection. */
async function answersTo(port: number, bytes: string): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1' })
  onTestFinished(() => void socket.destroy())
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
  })
  socket.write(bytes)
  await once(socket, 'close')
  return text
}

const statusesOf = (answers: string) => answers.match(/HTTP\/1\.1 \d+/g)

/** A request of HTTP/1.0 that asks to keep its connection and has Transfer-Encoding. */
function chunked(method: string, path: string, host: string): string {
  const lines = ['Connection: keep-alive', 'Content-Type: application/json', 'Transfer-Encoding: chunked']
  return [`${method} ${path} HTTP/1.0`, `Host: ${host}`, ...lines, '', '0', '', ''].join('\r\n')
}

function post(path: string, host: string, json: unknown): string {
  const body = JSON.stringify(json)
  const lines = ['Content-Type: application/json', `Content-Length: ${body.length}`]
  return [`POST ${path} HTTP/1.1`, `Host: ${host}`, ...lines, '', body].join('\r\n')
}

const worlds = async (): Promise<string[]> =>
  (await shared.operate('GET', '/v1/worlds')).json.worlds.map(({ world }: { world: string }) => world)
const loggedTargets = async (): Promise<string[]> =>
  (await shared.operate('GET', '/v1/worlds/default/requests')).json.requests.map(
    ({ target }: { target: string }) => target,
  )

test.for([
  ['a call', 'POST', '/v1/worlds', null],
  ['a read', 'GET', '/v1/worlds', null],
  ['an unknown path', 'POST', '/nowhere', null],
  ['a path that cannot be decoded', 'GET', '/v1/%zz', null],
  ['another Host', 'POST', '/v1/worlds', 'evil.test'],
] as const)('a chunked request of HTTP/1.0 ends the operator’s connection: %s', async ([, method, path, otherHost]) => {
  const url = shared.operator?.url as string
  const { host, port } = new URL(url)
  const hidden = post('/v1/worlds', host, { name: 'smuggled' })
  const answers = await answersTo(Number(port), chunked(method, path, otherHost ?? host) + hidden)
  expect(statusesOf(answers)?.[0]).toMatch(/ 40[03]$/)
  expect(statusesOf(answers)).toHaveLength(1)
  expect(answers.toLowerCase()).toContain('connection: close')
  expect(await worlds()).toEqual(['default'])
})

test.for([
  ['a call', 'POST', '/api/partner/v1/quotes'],
  ['a page', 'GET', '/checkout'],
  ['an unknown path', 'POST', '/nowhere'],
  ['a path that cannot be decoded', 'GET', '/api/%zz'],
] as const)('a chunked request of HTTP/1.0 ends the partner’s connection: %s', async ([, method, path]) => {
  const { host, port } = new URL(shared.url)
  const answers = await answersTo(Number(port), chunked(method, path, host) + post('/api/partner/v1/hidden', host, {}))
  expect(statusesOf(answers)).toHaveLength(1)
  expect(await loggedTargets()).not.toContain('/api/partner/v1/hidden')
})
