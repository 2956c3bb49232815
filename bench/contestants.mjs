import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { signCall } from '../dist/contract/signature.js'

const at = (path) => fileURLToPath(new URL(path, import.meta.url))

/** The command line of each contestant; all of them print a ready line with url and credentials. */
export const commandOf = {
  bare: () => [at('servers/rivals.mjs'), 'bare'],
  hmac: () => [at('servers/rivals.mjs'), 'hmac'],
  'hmac-sqlite': (file) => [at('servers/rivals.mjs'), 'hmac-sqlite', ...(file ? [file] : [])],
  sandbox: (dataDir) => [
    at('../bin/partner-sandbox.js'),
    'serve',
    '--ready-json',
    '--port=0',
    '--operator-port=0',
    '--rate-limit=off',
    ...(dataDir ? [`--data=${dataDir}`] : []),
  ],
}

/** Starts a contestant and waits for its ready line. */
export async function start(command) {
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ready = await new Promise((resolve, reject) => {
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
      if (text.includes('\n')) resolve(JSON.parse(text.slice(0, text.indexOf('\n'))))
    })
    child.on('exit', (code) => reject(new Error(`ended with ${code} before it was ready`)))
  })
  const [{ key_id: keyId, secret }] = ready.credentials
  return {
    url: ready.url,
    key: { keyId, secret },
    stop: () => new Promise((resolve) => child.on('exit', resolve).kill('SIGTERM')),
  }
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
