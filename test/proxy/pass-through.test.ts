import { describe, expect, it } from 'vitest'
import { bodyOf, exchangeBytes, linesOf, passThrough, rawTarget } from './support.ts'

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

const answers = (bytes: string) =>
  rawTarget((socket, received) => received.includes('\r\n\r\n') && socket.write(bytes, 'latin1'))

describe('a request reaches the target with its bytes', () => {
  it.each([
    ['odd escapes and order', 'GET /a%2fb/%7e/../c?b=2&a=%7E&a=+&c=%e4&b= HTTP/1.1'],
    ['empty segments', 'GET //x//y/.?? HTTP/1.1'],
    ['plus signs and semicolons', 'DELETE /x;p=1?q=a+b;c=%2B&&= HTTP/1.1'],
    ['another verb', 'PROPFIND /x?%zz HTTP/1.1'],
    ['a query without a path', 'OPTIONS *  HTTP/1.1'.replace('  ', ' ')],
  ])('with %s in the target', async (_name, line) => {
    const target = await answers(OK)
    const { url } = await passThrough(target.url)
    await exchangeBytes(url, `${line}\r\nHost: x\r\nContent-Length: 0\r\n\r\n`, {
      isEnough: (text) => text.endsWith('ok'),
    })
    expect(linesOf(target.connections[0] ?? '')[0]).toBe(line)
  })

  it('with the order, the case and the number of its headers', async () => {
    const target = await answers(OK)
    const { url } = await passThrough(target.url)
    const headers = [
      'x-partner-NONCE: one',
      'hOsT: client.example',
      'X-Partner-Nonce: two',
      'Accept-Encoding: gzip,  br',
      'X-Empty: ',
      'accept-encoding: zstd',
      'X-Latin: caf\xe9',
      'Cookie: a=1',
      'cookie: b=2',
    ]
    await exchangeBytes(url, `GET / HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`, {
      isEnough: (text) => text.endsWith('ok'),
    })
    const host = `hOsT: ${new URL(target.url).host}`
    const expected = headers.map((line) => (line.startsWith('hOsT') ? host : line))
    expect(linesOf(target.connections[0] ?? '').slice(1)).toEqual(expected)
  })

  it('with the Host of the client if that is asked for', async () => {
    const target = await answers(OK)
    const { url } = await passThrough(target.url, { keepHost: true })
    await exchangeBytes(url, 'GET / HTTP/1.1\r\nhost: client.example\r\n\r\n', {
      isEnough: (text) => text.endsWith('ok'),
    })
    expect(target.connections[0]).toContain('\r\nhost: client.example\r\n')
  })

  it('without the headers of its connection, and those that Connection names', async () => {
    const target = await answers(OK)
    const { url } = await passThrough(target.url)
    const sent =
      'GET / HTTP/1.1\r\nHost: x\r\nConnection: keep-alive, X-Hop, Host\r\nX-Hop: 1\r\nTE: trailers\r\nKeep-Alive: 1\r\nX-End: 1\r\n\r\n'
    await exchangeBytes(url, sent, { isEnough: (text) => text.endsWith('ok') })
    expect(linesOf(target.connections[0] ?? '').slice(1)).toEqual([`Host: ${new URL(target.url).host}`, 'X-End: 1'])
  })

  it('with its body, whatever its bytes are', async () => {
    const every = Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte)).join('')
    const target = await rawTarget((socket, received) => received.endsWith('end') && socket.write(OK))
    const { url, finished } = await passThrough(target.url)
    const sent = `POST /x HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 259\r\n\r\n${every}end`
    await exchangeBytes(url, sent, { isEnough: (text) => text.endsWith('ok') })
    expect(bodyOf(target.connections[0] ?? '')).toBe(`${every}end`)
    await expect.poll(() => finished[0]?.body.content().toString('latin1')).toBe(`${every}end`)
  })

  it('in chunks with trailers', async () => {
    const target = await rawTarget(
      (socket, received) => received.endsWith('\r\n\r\n') && received.includes('X-Sum') && socket.write(OK),
    )
    const { url } = await passThrough(target.url)
    const sent =
      'PUT /x HTTP/1.1\r\nHost: x\r\ntransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n3\r\nabc\r\n4\r\ndefg\r\n0\r\nX-Sum: 7\r\n\r\n'
    await exchangeBytes(url, sent, { isEnough: (text) => text.endsWith('ok') })
    const got = target.connections[0] ?? ''
    expect(linesOf(got).slice(2)).toEqual(['transfer-Encoding: chunked', 'Trailer: X-Sum'])
    expect(bodyOf(got)).toMatch(/^(?:3\r\nabc\r\n4\r\ndefg|7\r\nabcdefg)\r\n0\r\n/)
    expect(got).toMatch(/\r\n0\r\nX-Sum: 7\r\n\r\n$/)
  })

  it('of a write without a body as one with no bytes', async () => {
    const target = await answers(OK)
    const { url } = await passThrough(target.url)
    await exchangeBytes(url, 'POST /x HTTP/1.1\r\nHost: x\r\n\r\n', { isEnough: (text) => text.endsWith('ok') })
    expect(linesOf(target.connections[0] ?? '')).toEqual([
      'POST /x HTTP/1.1',
      `Host: ${new URL(target.url).host}`,
      'Content-Length: 0',
    ])
  })

  it('only once the target has said that it may go on', async () => {
    const target = await rawTarget((socket, received) => {
      if (received.endsWith('\r\n\r\n')) socket.write('HTTP/1.1 100 Continue\r\n\r\n')
      if (received.endsWith('body')) socket.write(OK)
    })
    const { url } = await passThrough(target.url)
    const { connect } = await import('node:net')
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    let received = ''
    socket.write('POST /x HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n')
    socket.on('data', (chunk) => {
      received += chunk
      if (received.endsWith('Continue\r\n\r\n')) socket.write('body')
    })
    await expect.poll(() => received).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/)
    expect(target.connections[0]).toContain('Expect: 100-continue')
    socket.destroy()
  })

  it('from a client that closes its sending side', async () => {
    const target = await rawTarget(
      (socket, received) => received.endsWith('body') && setTimeout(() => socket.write(OK), 50),
    )
    const { url } = await passThrough(target.url)
    const { received } = await exchangeBytes(url, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody', {
      end: true,
    })
    expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*ok$/)
  })
})

describe('an answer reaches the client with its bytes', () => {
  it.each([
    [
      'an odd reason and doubled headers',
      'HTTP/1.1 299 Sort of  fine\r\nset-cookie: a\r\nX-A: 1\r\nSet-Cookie: b\r\nx-a: 2\r\nDate: now\r\ncontent-length: 3\r\n\r\nabc',
    ],
    ['no reason', 'HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n'],
    ['a compressed body', `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\n\x1f\x8b\x00\xff`],
    ['no content', 'HTTP/1.1 204 No Content\r\nX-A: 1\r\n\r\n'],
    ['a length and no content', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 1000\r\nETag: "x"\r\n\r\n'],
    [
      'a refusal',
      'HTTP/1.1 429 Too Many Requests\r\nRetry-After: 3\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}',
    ],
  ])('with %s', async (_name, answer) => {
    const target = await answers(answer)
    const { url } = await passThrough(target.url)
    const { received } = await exchangeBytes(url, 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    expect(linesOf(received)).toEqual(linesOf(answer))
    expect(bodyOf(received)).toBe(bodyOf(answer))
  })

  it('in chunks with trailers', async () => {
    const target = await answers(
      'HTTP/1.1 200 OK\r\nTRANSFER-encoding: chunked\r\nTrailer: X-T\r\n\r\n2\r\nab\r\n0\r\nX-T: 1\r\n\r\n',
    )
    const { url } = await passThrough(target.url)
    const { received } = await exchangeBytes(url, 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    expect(linesOf(received)).toEqual(['HTTP/1.1 200 OK', 'TRANSFER-encoding: chunked', 'Trailer: X-T'])
    expect(bodyOf(received)).toBe('2\r\nab\r\n0\r\nX-T: 1\r\n\r\n')
  })

  it('without chunks where the client speaks HTTP/1.0', async () => {
    const target = await answers('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n')
    const { url } = await passThrough(target.url)
    const { received } = await exchangeBytes(url, 'GET / HTTP/1.0\r\nHost: x\r\n\r\n')
    expect(linesOf(received)).toEqual(['HTTP/1.1 200 OK'])
    expect(bodyOf(received)).toBe('ab')
  })

  it('after interim answers, each with its bytes', async () => {
    const hints = 'HTTP/1.1 103 Early Hints\r\nLINK: </x>; rel=preload\r\nlink: </y>\r\n\r\n'
    const target = await answers(`HTTP/1.1 102 Processing\r\n\r\n${hints}${OK}`)
    const { url } = await passThrough(target.url)
    const { received } = await exchangeBytes(url, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n', {
      isEnough: (text) => text.endsWith('ok'),
    })
    expect(received).toMatch(
      /^HTTP\/1\.1 102 Processing\r\n\r\nHTTP\/1\.1 103 Early Hints\r\nLINK: <\/x>; rel=preload\r\nlink: <\/y>\r\n\r\nHTTP\/1\.1 200 OK/,
    )
  })

  it('up to the end of the connection where it has no other end', async () => {
    const target = await rawTarget((socket) => socket.end('HTTP/1.1 200 OK\r\nX-A: 1\r\n\r\nall of it'))
    const { url, finished } = await passThrough(target.url)
    const { received } = await exchangeBytes(url, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    expect(linesOf(received)).toEqual(['HTTP/1.1 200 OK', 'X-A: 1'])
    expect(bodyOf(received)).toBe('all of it')
    await expect.poll(() => finished[0]?.ending).toBe('answered')
  })

  it('with headers that are longer than Node usually takes', async () => {
    const long = `X-Long: ${'x'.repeat(40_000)}`
    const target = await answers(`HTTP/1.1 200 OK\r\n${long}\r\nContent-Length: 2\r\n\r\nok`)
    const { url } = await passThrough(target.url)
    const { received } = await exchangeBytes(url, `GET / HTTP/1.1\r\nHost: x\r\n${long}\r\nConnection: close\r\n\r\n`)
    expect(linesOf(received)).toContain(long)
    expect(linesOf(target.connections[0] ?? '')).toContain(long)
  })

  it('with more headers than Node usually takes', async () => {
    const many = Array.from({ length: 3_000 }, (_, at) => `Set-Cookie: ${at}`)
    const target = await answers(`HTTP/1.1 200 OK\r\n${many.join('\r\n')}\r\nContent-Length: 2\r\n\r\nok`)
    const { url } = await passThrough(target.url)
    const { received } = await exchangeBytes(url, 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    expect(linesOf(received)).toEqual(['HTTP/1.1 200 OK', ...many, 'Content-Length: 2'])
  })

  it.each([
    ['no content', '204 No Content\r\nTransfer-Encoding: chunked', ''],
    ['another encoding', '200 OK\r\nTransfer-Encoding: gzip', 'abc'],
  ])('without trailers where they are announced for %s', async (_name, head, body) => {
    const target = await rawTarget((socket) => socket.end(`HTTP/1.1 ${head}\r\nTrailer: X-T\r\n\r\n${body}`))
    const { url } = await passThrough(target.url)
    const { received } = await exchangeBytes(url, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    expect([linesOf(received).join('\r\n'), bodyOf(received)]).toEqual([`HTTP/1.1 ${head}`, body])
  })

  it('piece by piece as it comes, however slowly', async () => {
    const letters = ['a', 'b', 'c']
    let sendNext = (): void => undefined
    const target = await rawTarget((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n')
      sendNext = () => void setTimeout(() => socket.write(letters.shift() ?? ''), 300)
    })
    const { url } = await passThrough(target.url, { silentMs: 250 })
    const answer = await fetch(url)
    const pieces: string[] = []
    sendNext()
    // The next piece is sent once this one has arrived, so that no two of them come as one.
    for await (const piece of answer.body ?? []) {
      pieces.push(Buffer.from(piece).toString())
      sendNext()
    }
    expect(pieces).toEqual(['a', 'b', 'c'])
  })

  it('of HEAD with its length and without its body', async () => {
    const target = await answers('HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n')
    const { url } = await passThrough(target.url)
    const { received } = await exchangeBytes(url, 'HEAD / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    expect(linesOf(received)).toEqual(['HTTP/1.1 200 OK', 'Content-Length: 5000'])
  })

  it('as soon as it begins, also before the body of the request has been sent', async () => {
    const target = await answers('HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno')
    const { url } = await passThrough(target.url)
    const sent = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nbegin'
    const { received } = await exchangeBytes(url, sent, { isEnough: (text) => text.endsWith('no') })
    expect(received).toMatch(/^HTTP\/1\.1 413 Too Large/)
  })

  it('to each of several calls on one connection, over one connection to the target', async () => {
    const target = await rawTarget((socket, received) => received.endsWith('\r\n\r\n') && socket.write(OK))
    const { url } = await passThrough(target.url)
    const two = 'GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\n\r\n'
    await exchangeBytes(url, two, {
      isEnough: (text) => text.split('HTTP/1.1 200').length === 3 && text.endsWith('ok'),
    })
    expect(target.connections.length).toBe(1)
    expect(target.connections[0]).toMatch(/GET \/1[\s\S]*GET \/2/)
  })
})

it.each([
  ['204', 'GET', 'HTTP/1.1 204 No Content\r\n\r\n'],
  ['304', 'GET', 'HTTP/1.1 304 Not Modified\r\nETag: "1"\r\n\r\n'],
  ['HEAD', 'HEAD', 'HTTP/1.1 200 OK\r\n\r\n'],
])('an answer without a body leaves the connection open: %s', async (_name, method, bytes) => {
  const { url } = await passThrough((await answers(bytes)).url)
  const sent = `${method} / HTTP/1.1\r\nHost: x\r\n\r\n`
  const { received } = await exchangeBytes(url, sent, { isEnough: (text) => text.endsWith('\r\n\r\n') })
  expect(received).toMatch(/\r\nConnection: keep-alive\r\n/)
})

describe('a target that does not answer', () => {
  it('is a 508 of the proxy’s own where it leads back to the proxy, by whatever name', async () => {
    const target = new URL('http://127.0.0.1:1')
    const { url, finished } = await passThrough(target.href, { target })
    target.port = new URL(url).port
    const { received } = await exchangeBytes(url, 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    expect(received).toMatch(/^HTTP\/1\.1 508 Loop Detected\r\n[\s\S]*X-Partner-Sandbox-Proxy: refused\r\n/)
    await expect.poll(() => finished.map(({ ending }) => ending)).toEqual(['refused', 'answered'])
  })

  it('is a 502 of the proxy’s own where nothing listens', async () => {
    const { url, finished } = await passThrough('http://127.0.0.1:1')
    const { received } = await exchangeBytes(url, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    expect(received).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\n[\s\S]*X-Partner-Sandbox-Proxy: no-answer\r\n/)
    expect(bodyOf(received)).toBe(
      'partner-sandbox proxy: the target 127.0.0.1:1 gave no answer: nothing listens there\n',
    )
    await expect.poll(() => finished[0]?.ending).toBe('no-answer')
  })

  it('is a 504 of the proxy’s own where it is silent', async () => {
    const target = await rawTarget(() => {})
    const { url } = await passThrough(target.url, { silentMs: 50 })
    const { received } = await exchangeBytes(url, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    expect(received).toMatch(/^HTTP\/1\.1 504 [\s\S]*X-Partner-Sandbox-Proxy: no-answer\r\n/)
  })

  it.each([
    ['breaks the connection', (socket: { resetAndDestroy(): void }) => socket.resetAndDestroy()],
    ['sends what is not HTTP', (socket: { write(text: string): void }) => socket.write('SSH-2.0\r\n\r\n')],
    [
      'announces two lengths',
      (socket: { write(text: string): void }) =>
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'),
    ],
  ])('is a 502 where it %s', async (_name, act) => {
    const target = await rawTarget((socket) => act(socket as never))
    const { url } = await passThrough(target.url)
    const { received } = await exchangeBytes(url, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    expect(received).toMatch(/^HTTP\/1\.1 502 /)
  })

  it.each([
    ['000 Odd', 'cannot be passed on: Invalid status code: 0'],
    ['099 Odd', 'cannot be passed on: Invalid status code: 99'],
    ['200 O\x01K', 'cannot be passed on: Invalid character in statusMessage'],
    ['204 O\x7fK', 'cannot be passed on: Invalid character in statusMessage'],
    ['101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x', 'switches to a protocol that was not asked for'],
  ])('is a 502 that says why where its answer cannot be passed on: %j', async (head, why) => {
    const target = await answers(`HTTP/1.1 ${head}\r\nContent-Length: 2\r\n\r\nok`)
    const { url, finished } = await passThrough(target.url)
    const { received } = await exchangeBytes(url, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    expect(received).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\n[\s\S]*X-Partner-Sandbox-Proxy: no-answer\r\n/)
    expect(bodyOf(received)).toContain(why)
    await expect.poll(() => finished[0]).toMatchObject({ ending: 'no-answer', status: 502 })
  })

  it('breaks the connection of the client where its answer breaks off', async () => {
    const target = await rawTarget((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf'))
    const { url, finished } = await passThrough(target.url)
    const { received, error } = await exchangeBytes(url, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    expect([received.slice(0, 15), error]).toEqual(['HTTP/1.1 200 OK', 'ECONNRESET'])
    await expect.poll(() => finished[0]?.ending).toBe('broken')
  })

  it('breaks the connection of the client where it has closed one that it kept open', async () => {
    const target = await rawTarget((socket, received) => {
      if (received.endsWith('/1 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')) return
      if (received.includes('GET /2')) socket.resetAndDestroy()
      else socket.write(OK)
    })
    const { url } = await passThrough(target.url)
    const { connect } = await import('node:net')
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    let received = ''
    let error = ''
    socket.on('error', (caught: NodeJS.ErrnoException) => (error = caught.code ?? ''))
    socket.on('data', (chunk) => {
      received += chunk
      if (received.endsWith('ok')) socket.write('GET /2 HTTP/1.1\r\nHost: x\r\n\r\n')
    })
    socket.write('GET /1 HTTP/1.1\r\nHost: x\r\n\r\n')
    await expect.poll(() => error).toBe('ECONNRESET')
    expect(received).not.toContain('502')
  })

  it('sends more than it announced: the client gets what was announced, and the connection ends', async () => {
    const target = await rawTarget((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok and more'))
    const { url, finished } = await passThrough(target.url)
    const { received } = await exchangeBytes(url, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    expect(bodyOf(received)).toBe('ok')
    await expect.poll(() => finished[0]?.ending).toBe('answered')
  })

  it('has its connection closed when the client leaves', async () => {
    const target = await rawTarget(() => {})
    const { url, finished } = await passThrough(target.url)
    const { connect } = await import('node:net')
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    await expect.poll(() => target.connections[0]).toContain('GET')
    socket.resetAndDestroy()
    await expect.poll(() => finished[0]?.ending).toBe('client-left')
    await expect.poll(() => target.sockets[0]?.destroyed).toBe(true)
  })
})

describe('what is not passed on', () => {
  it('an upgrade is refused in words, but an offer of HTTP/2 is left out', async () => {
    const target = await answers(OK)
    const { url } = await passThrough(target.url)
    const upgrade = (to: string) => `GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: ${to}\r\n\r\n`
    const { received } = await exchangeBytes(url, upgrade('websocket'))
    expect(received).toMatch(/^HTTP\/1\.1 501 [\s\S]*an upgrade to websocket is not passed on/)
    await exchangeBytes(url, upgrade('h2c'), { isEnough: (text) => text.endsWith('ok') })
    expect(target.connections.join('')).not.toMatch(/upgrade/i)
  })

  it('a tunnel, and bytes that are not HTTP', async () => {
    const { url } = await passThrough('http://127.0.0.1:1')
    const tunnel = await exchangeBytes(url, 'CONNECT a.example:443 HTTP/1.1\r\nHost: x\r\n\r\n')
    expect(tunnel.received).toMatch(/^HTTP\/1\.1 405 [\s\S]*X-Partner-Sandbox-Proxy: refused/)
    const noise = await exchangeBytes(url, 'hello\r\n\r\n')
    expect(noise.received).toMatch(/^HTTP\/1\.1 400 /)
  })

  it('a redirect is not followed', async () => {
    const answer = 'HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n'
    const target = await answers(answer)
    const { url } = await passThrough(target.url)
    const { received } = await exchangeBytes(url, 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    expect(linesOf(received)).toEqual(linesOf(answer))
  })
})

describe('many calls', () => {
  it('of every kind at once, each with its bytes', async () => {
    const target = await rawTarget((socket, received) => {
      const [head = '', ...rest] = received.split('\r\n\r\n')
      const length = Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? 0)
      const body = rest.join('\r\n\r\n')
      const isWhole = /chunked/i.test(head) ? body.endsWith('0\r\n\r\n') : rest.length > 0 && body.length >= length
      if (isWhole)
        socket.end(
          `HTTP/1.1 200 OK\r\nX-Line: ${head.split('\r\n')[0]}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
          'latin1',
        )
    })
    const { url } = await passThrough(target.url)
    const calls = Array.from({ length: 500 }, (_, number) => callNumber(number))
    const answers = await Promise.all(calls.map(({ bytes }) => exchangeBytes(url, bytes)))
    const lines = answers.map(({ received }) => /X-Line: (.*)\r\n/.exec(received)?.[1])
    expect(lines).toEqual(calls.map(({ line }) => line))
    expect(answers.map(({ received }) => bodyOf(received))).toEqual(calls.map(({ body }) => body))
    const arrived = new Map(target.connections.map((text) => [linesOf(text)[0], linesOf(text).slice(2)]))
    for (const { line, headers } of calls) expect(arrived.get(line)).toEqual(headers)
  }, 60_000)
})

/** A call that is odd in a way of its own: verb, escapes, doubled headers, body, and how that is framed. */
function callNumber(number: number) {
  const pick = <Item>(items: readonly Item[], step: number) => items[Math.floor(number / step) % items.length] as Item
  const method = pick(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], 1)
  const path = pick(['/a%2Fb', '//x/../y', '/%7Euser/~', '/a;b=c', '/api/partner/v1/orders'], 5)
  const query = pick(['', '?', '?b=2&a=1', '?a=+&a=%20', '?%zz&=&&', "?q='(*)!"], 3)
  const line = `${`${method} ${path}${query}#${number}`.replace('#', query === '' ? '?n=' : '&n=')} HTTP/1.1`
  const bytes = String.fromCharCode(...Array.from({ length: number % 97 }, (_, at) => (number * 31 + at * 7) % 256))
  const isChunked = number % 3 === 0 && bytes !== ''
  const body = isChunked ? `${bytes.length.toString(16)}\r\n${bytes}\r\n0\r\n\r\n` : bytes
  const headers = [
    ...(number % 2 ? ['X-A: 1', 'x-a: 2'] : ['ACCEPT-encoding: gzip']),
    ...(number % 5 ? [`Idempotency-Key: ${number}`] : [`X-Odd: \xe4;"${number}",`]),
    isChunked ? 'transfer-encoding: chunked' : `content-LENGTH: ${bytes.length}`,
  ]
  return { line, headers, body, bytes: `${line}\r\nHost: x\r\n${headers.join('\r\n')}\r\n\r\n${body}` }
}
