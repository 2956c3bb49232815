// A proxy in front of a foreign server that does to calls what networks do. Chance comes from a seed.
import { Agent, createServer, request as send } from 'node:http'

/** Kinds of noise; two are the server's own: `busyMs`, other clients with one piece of business in so many milliseconds, and `lateLists`, a lag for each list. `spell` is from and to in milliseconds after the start, `one` the share of calls. */
export const NOISE = {
  slow: { delayMs: 200 },
  'reset after': { after: 0.01 },
  'reset before': { before: 0.01 },
  '503 at 1 s': { spell: [1000, 3000] },
  '503 at 8 s': { spell: [8000, 10_000] },
  'idle connections closed': { keepAliveMs: 300 },
  busy: { busyMs: 250 },
  'late lists': { lateLists: true },
}

const LAGS_MS = [0, 0, 700, 1500, 2500, 3500]

/** How late each list of a server is, as the seed has it. */
export function lagsOf(seed) {
  const chance = chanceOf(seed)
  const lags = new Map()
  return (list) => {
    if (!lags.has(list)) lags.set(list, LAGS_MS[Math.floor(chance() * LAGS_MS.length)])
    return lags.get(list)
  }
}

/** Mulberry32: a small generator with a seed. */
function chanceOf(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export async function startNoise(url, { delayMs = 0, after = 0, before = 0, spell, keepAliveMs = 5000 }, seed = 1) {
  const chance = chanceOf(seed)
  const agent = new Agent({ keepAlive: true })
  const { hostname, port } = new URL(url)
  const started = Date.now()
  const done = { calls: 0, resets: 0, unavailable: 0 }

  const server = createServer(async (request, response) => {
    const chunks = []
    try {
      for await (const chunk of request) chunks.push(chunk)
    } catch {
      return
    }
    done.calls++
    const now = Date.now() - started
    if (spell && now >= spell[0] && now < spell[1]) {
      done.unavailable++
      response.writeHead(503, { 'content-type': 'text/html' })
      return response.end('<html><body><h1>503 Service Unavailable</h1></body></html>')
    }
    const reset = () => {
      done.resets++
      request.socket.resetAndDestroy()
    }
    const drawn = chance()
    if (drawn < before) return reset()
    const work = () => {
      const options = { hostname, port, agent, method: request.method, path: request.url, headers: request.rawHeaders }
      const onward = send(options, (answer) => {
        const parts = []
        answer.on('data', (part) => parts.push(part))
        answer.on('end', () => {
          if (drawn < before + after) return reset()
          const headers = answer.rawHeaders.filter(
            (_, n, all) => !/^(?:connection|keep-alive|transfer-encoding)$/iu.test(all[n - (n % 2)]),
          )
          response.writeHead(answer.statusCode, headers)
          response.end(Buffer.concat(parts))
        })
      })
      onward.on('error', () => request.socket.destroy())
      onward.end(Buffer.concat(chunks))
    }
    if (delayMs > 0) setTimeout(work, delayMs)
    else work()
  })
  server.keepAliveTimeout = keepAliveMs
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready))
  const close = () => {
    server.closeAllConnections()
    agent.destroy()
    return new Promise((closed) => server.close(closed))
  }
  return { url: `http://127.0.0.1:${server.address().port}`, done, close }
}
