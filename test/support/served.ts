import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { fetchDocumented } from './documented.ts'
import { signWith } from './signer.ts'

const BIN = fileURLToPath(new URL('../../bin/partner-sandbox.js', import.meta.url))

export interface Served {
  child: ChildProcess
  url: string
  operatorUrl: string
  credentials: { name: string; key_id: string; secret: string }[]
}

/** The built program, serving on free ports; resolves once its ready line is there. */
export async function serve(...options: string[]): Promise<Served> {
  const command = [BIN, 'serve', '--ready-json', '--port', '0', '--operator-port', '0', ...options]
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  let complaint = ''
  child.stderr.on('data', (chunk) => {
    complaint += chunk
  })
  for await (const chunk of child.stdout) {
    output += chunk
    if (output.includes('\n')) break
  }
  if (!output.includes('\n')) throw new Error(`serve ended before it was ready: ${complaint}`)
  const ready = JSON.parse(output.slice(0, output.indexOf('\n')))
  return { child, url: ready.url, operatorUrl: ready.operator?.url, credentials: ready.credentials }
}

/** Ends a process and waits until it is gone. */
export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill(signal)
  await once(child, 'exit')
}

/** A call of its first credential, signed; the answer of a documented path is held against the OpenAPI document. */
export function callServed(
  { url, credentials }: Served,
  method: string,
  target: string,
  body?: string,
  key?: string,
): Promise<Response> {
  const { key_id: keyId, secret } = credentials[0] as Served['credentials'][number]
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signed = { method, target, timestamp, nonce: randomUUID(), ...(body !== undefined && { body }) }
  return fetchDocumented(url + target, {
    method,
    headers: {
      ...signWith({ keyId, secret }, signed).headers,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    ...(body !== undefined && { body }),
  })
}
