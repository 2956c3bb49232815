import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startSandbox } from '../support/sandbox.ts'
import { type CliOutcome, cli, type Surroundings } from './run.ts'

/** Runs a command against a server that is no sandbox. */
async function against(listener: RequestListener, args: string[], around?: Surroundings): Promise<CliOutcome> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const outcome = await cli([...args, '--sandbox', url], around)
    return { ...outcome, err: outcome.err.replaceAll(url, 'URL') }
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

describe('a port that is no operator of ours', () => {
  it('answering HTML is recognized', async () => {
    expect(await against((_request, response) => response.end('<html>'), ['clock', 'show'])).toEqual({
      code: 4,
      out: '',
      err: 'error: URL answered with something other than JSON: is it an operator port?\n',
    })
  })

  it('but the partner API is told from the operator, whatever is asked of it', async () => {
    const { url } = await startSandbox({ inventory: 0 })
    const err = `error: ${url} is the partner API; give the operator port instead (4601 by default)\n`
    for (const args of [
      ['world', 'list'],
      ['clock', 'advance', '1h'],
      ['event', 'tail'],
      ['coverage', '--html', join(tmpdir(), 'never-written.html')],
      ['world', 'snapshot', 'default', join(tmpdir(), 'never-written.sqlite')],
    ]) {
      expect(await cli([...args, '--sandbox', url])).toEqual({ code: 4, out: '', err })
    }
  })

  it('hanging up is exit code 6', async () => {
    const { code, err } = await against((request) => request.socket.destroy(), ['clock', 'show'])
    expect([code, err]).toEqual([
      6,
      'error: no sandbox answers at URL (it closed the connection; perhaps it speaks https); start one with "npx partner-sandbox serve", or name another with --sandbox\n',
    ])
  })

  it('cannot act on the terminal through its detail', async () => {
    const listener: RequestListener = (_request, response) => {
      response.writeHead(409).end(JSON.stringify({ detail: 'no\u001b[2J\nerror: all is well' }))
    }
    expect(await against(listener, ['world', 'list'])).toEqual({
      code: 1,
      out: '',
      err: 'error: no\\x1b[2J\\nerror: all is well\n',
    })
  })

  it.each([
    [400, 4],
    [401, 4],
    [403, 4],
    [404, 1],
    [409, 1],
    [500, 5],
    [302, 1],
  ])('answering %i without a word ends with exit code %i', async (status, code) => {
    const outcome = await against((_request, response) => response.writeHead(status).end(), ['clock', 'show'])
    expect(outcome.code).toBe(code)
    expect(outcome.err).toBe(`error: the operator answered ${status} with an empty body; is it an operator port?\n`)
  })

  it('breaking off in the middle of a refusal is said of the answer', async () => {
    const listener: RequestListener = (_request, response) => {
      response.writeHead(404, { 'content-length': 100 }).write('{"detail":', () => response.destroy())
    }
    const { code, err } = await against(listener, ['event', 'tail'])
    expect([code, err]).toEqual([1, 'error: the operator answered 404 with an empty body; is it an operator port?\n'])
  })

  it.each([[['order', 'list']], [['domain', 'list']], [['request', 'list']], [['world', 'list']], [['clock', 'show']]])(
    'answering JSON of another shape to %j breaks nothing',
    async (args) => {
      for (const answer of [null, [], [1], 'text', { orders: 5, domains: [null], requests: {}, worlds: [[]] }]) {
        const { code, err } = await against((_request, response) => response.end(JSON.stringify(answer)), args)
        expect([code, err]).toEqual([0, ''])
      }
    },
  )
})

describe('what a command sends', () => {
  it('is the token, the world and JSON, and nothing that would be normalized away', async () => {
    const seen: unknown[] = []
    await against(
      ({ method, url, headers }, response) => {
        seen.push([method, url, headers.authorization, headers['content-type']])
        response.end('{}')
      },
      ['order', 'hold', '../../x', '--world', 'a/b', '--operator-token', 'abc', '--reason', 'why'],
    )
    expect(seen).toEqual([['POST', '/v1/worlds/a%2Fb/orders/..%2F..%2Fx/hold', 'Bearer abc', 'application/json']])
  })
})

it.each([[['world', 'list', '--json']], [['clock', 'advance', '1h', '--json']]])(
  '%s says that it waits for a sandbox that takes more than a second, on a line that goes away',
  async (args) => {
    let answer = () => {}
    const listener: RequestListener = (_request, response) => {
      answer = () => void response.end('{"worlds":[]}')
    }
    const { code, err } = await against(listener, args, { terminal: true, onErr: () => answer() })
    expect([code, err]).toEqual([0, '\r\u001b[Kwaiting for the sandbox: 1 s\r\u001b[K'])
  },
)
