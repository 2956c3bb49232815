// Where the time of a call goes: docs/pictures/call-cost.svg and the table that docs/architecture.md shows, by the CPU profile of a server
// in a thread of its own. Usage: npm run build && node bench/call-cost.mjs
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { wire } from './contestants.mjs'
import { pricesOf } from './contests.mjs'
import { load } from './load.mjs'

const ROOT = '/api/partner/v1'
const CALLS = 6_000
const PICTURE = new URL('../docs/pictures/call-cost.svg', import.meta.url)

/** Where the time of a frame belongs; the first that fits, by the file of the frame and the name of its function. */
const PARTS = [
  [
    'signature',
    (url, name) =>
      /contract\/(?:canonical-string|hmac|signature)\.js$|^node:.*crypto/.test(url) || /digest|timingSafe/i.test(name),
  ],
  ['HTTP', (url) => /^node:|\/fastify\/|\/find-my-way\/|connection\.js$/.test(url)],
  ['other checks', (url) => /app\/checks\.js$|kernel\/world\.js$/.test(url)],
  ['SQLite', (url, name) => /better-sqlite3/.test(url) || (url === '' && /^(?:run|get|all|iterate|exec)$/.test(name))],
  ['transaction', (url) => /commit-queue\.js$|kernel\/scheduler\.js$|storage\/|clock\/|worlds\//.test(url)],
  ['log and coverage', (url) => /coverage\/|app\/log\.js$/.test(url)],
  ['rules and answer', (url) => url.startsWith('file:')],
  ['memory', (_url, name) => name === '(garbage collector)'],
  ['HTTP', (_url, name) => name !== '(idle)' && name !== '(root)'],
]
const COLORS = ['#1d4ed8', '#7c3aed', '#a78bfa', '#0f766e', '#0891b2', '#b45309', '#be123c', '#6b7280']
const NAMES = [...new Set(PARTS.map(([name]) => name))]

if (isMainThread) await measure()
else await serve()

async function measure() {
  const worker = new Worker(new URL(import.meta.url))
  const [server] = await once(worker, 'message')
  const key = { keyId: server.credentials[0].key_id, secret: server.credentials[0].secret }
  const read = (n) => wire({ key, method: 'GET', target: `${ROOT}/availability?domain=stalls-${n % 50}.test` })
  const domains = Array.from({ length: CALLS * 2 }, (_, n) => `stalls-${n + 100}.test`)
  const prices = await pricesOf({ key, url: server.url }, domains)
  const buyer = { email: 'buyer@example.test', name: 'A Buyer', country: 'DE' }
  const order = (n) => {
    const body = JSON.stringify({ domain: domains[n], expected_price: prices[n], currency: 'USD', buyer })
    return wire({ key, method: 'POST', target: `${ROOT}/orders`, headers: { 'Idempotency-Key': `cost-${n}` }, body })
  }
  const rows = []
  for (const [name, request, expect] of [
    ['GET /availability', read, 200],
    ['POST /orders', order, 201],
  ]) {
    const some = (from) => Array.from({ length: CALLS }, (_, n) => request(from + n))
    await load(server.url, some(0), { expect })
    const calls = some(CALLS)
    worker.postMessage('start')
    await once(worker, 'message')
    await load(server.url, calls, { expect })
    worker.postMessage('stop')
    const [microseconds] = await once(worker, 'message')
    rows.push({ name, microseconds: NAMES.map((part) => (microseconds[part] ?? 0) / CALLS) })
  }
  await worker.terminate()
  writeFileSync(PICTURE, pictureOf(rows))
  console.log(tableOf(rows))
}

async function serve() {
  const { startServer } = await import('../dist/server.js')
  const { url, credentials } = await startServer({ port: 0, operatorPort: null, rateLimit: null })
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: 200 })
  parentPort.postMessage({ url, credentials })
  for (;;) {
    await once(parentPort, 'message')
    await session.post('Profiler.start')
    parentPort.postMessage('started')
    await once(parentPort, 'message')
    const { profile } = await session.post('Profiler.stop')
    parentPort.postMessage(timesOf(profile))
  }
}

/** Microseconds of each part. */
function timesOf({ nodes, samples, timeDeltas }) {
  const partOf = new Map(nodes.map(({ id, callFrame: { url, functionName } }) => [id, partOfFrame(url, functionName)]))
  const times = {}
  for (const [at, id] of samples.entries()) {
    const part = partOf.get(id)
    if (part) times[part] = (times[part] ?? 0) + timeDeltas[at]
  }
  return times
}

function partOfFrame(url, name) {
  return PARTS.find(([, fits]) => fits(url, name))?.[0]
}

function tableOf(rows) {
  const lines = rows.map(({ name, microseconds }) => {
    const sum = microseconds.reduce((a, b) => a + b, 0)
    return `| ${[name, ...microseconds.map((value) => `${Math.round((value / sum) * 100)} %`)].join(' | ')} |`
  })
  return [`| call | ${NAMES.join(' | ')} |`, `|${'---|'.repeat(NAMES.length + 1)}`, ...lines].join('\n')
}

function pictureOf(rows) {
  const width = 700
  const bars = rows.flatMap(({ name, microseconds }, row) => {
    const sum = microseconds.reduce((a, b) => a + b, 0)
    let x = 0
    const y = 26 + row * 62
    return [
      `<text x="0" y="${y - 8}" font-weight="600">${name}</text>`,
      ...microseconds.map((value, at) => {
        const wide = (value / sum) * width
        const percent = Math.round((value / sum) * 100)
        const label = percent >= 5 ? `<text x="${x + 6}" y="${y + 20}" fill="#fff">${percent} %</text>` : ''
        const bar = `<rect x="${x}" y="${y}" width="${wide}" height="30" fill="${COLORS[at]}"/>${label}`
        x += wide
        return bar
      }),
    ]
  })
  const legend = NAMES.map((name, at) => {
    const [x, y] = [(at % 4) * 175, 160 + Math.floor(at / 4) * 22]
    return `<rect x="${x}" y="${y - 10}" width="12" height="12" fill="${COLORS[at]}"/><text x="${x + 18}" y="${y}">${name}</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} 200" font-family="system-ui, sans-serif" font-size="13" role="img" aria-label="Where the time of a call goes">
<rect width="${width}" height="200" fill="#fff"/>
${[...bars, ...legend].join('\n')}
</svg>
`
}
