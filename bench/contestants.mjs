import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { signCall } from '../dist/contract/signature.js'

const at = (path) => fileURLToPath(new URL(path, import.meta.url))
const BY_HAND = at('servers/by-hand.mjs')
/** Another build can be raced by the same rivals. */
const BIN = process.env.SANDBOX_BIN ?? at('../bin/partner-sandbox.js')
const SERVE = [BIN, 'serve', '--ready-json', '--port=0', '--operator-port=0', '--rate-limit=off']

/** The command line of each contestant, some with a folder for its file; all of them print a ready line with url and credentials. */
export const commandOf = {
  bare: () => [at('servers/bare.mjs')],
  'by hand': () => [BY_HAND],
  'by hand, FULL': (folder) => [BY_HAND, join(folder, 'rival.sqlite')],
  sandbox: () => SERVE,
  'sandbox --data': (folder) => [...SERVE, `--data=${join(folder, 'worlds')}`],
}

/** Starts a contestant and waits for its ready line. */
export async function start(name, folder) {
  const child = spawn(process.execPath, commandOf[name](folder), { stdio: ['ignore', 'pipe', 'inherit'] })
  const ready = await new Promise((resolve, reject) => {
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
      if (text.includes('\n')) resolve(JSON.parse(text.slice(0, text.indexOf('\n'))))
    })
    child.on('exit', (code) => reject(new Error(`${name} ended with ${code} before it was ready`)))
  })
  const [{ key_id: keyId, secret }] = ready.credentials
  return {
    name,
    /** How many of the endless names it has been asked to sell. */
    namesUsed: 0,
    url: ready.url,
    operatorUrl: ready.operator?.url,
    key: { keyId, secret },
    cpuMs: () => cpuMsOf(child.pid),
    stop: () => new Promise((resolve) => child.on('exit', resolve).kill('SIGTERM')),
  }
}

const TICK_MS = 10

/** CPU time that a process has used, threads included; null where the system has no /proc. */
export function cpuMsOf(pid) {
  const file = `/proc/${pid}/stat`
  if (!existsSync(file)) return null
  const fields = readFileSync(file, 'utf8').split(') ').at(-1).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

/** One signed request as bytes. */
export function wire({ key, method = 'GET', target, body = '', headers = {} }) {
  const bytes = Buffer.from(body)
  const call = { method, target, body: bytes, timestampSeconds: Math.floor(Date.now() / 1000), nonce: randomUUID() }
  const all = {
    Host: 'bench',
    ...signCall(key, call).headers,
    ...(bytes.length > 0 && { 'Content-Type': 'application/json', 'Content-Length': bytes.length }),
    ...headers,
  }
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([Buffer.from(`${method} ${target} HTTP/1.1\r\n${head.join('')}\r\n`), bytes])
}
