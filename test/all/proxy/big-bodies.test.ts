import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { listening } from '../../support/listening.ts'

const BIN = fileURLToPath(new URL('../../../bin/partner-sandbox.js', import.meta.url))
const MIB = 1024 * 1024
const GIB = 1024 * MIB

/** One body, piece by piece. */
function* gibibyte() {
  const piece = Buffer.alloc(MIB, 'x')
  for (let sent = 0; sent < GIB; sent += MIB) yield piece
}

/** A target that counts the bytes of a body, or sends as many. */
function bigTarget(): Promise<string> {
  return listening(
    createServer(async (incoming, response) => {
      let bytes = 0
      for await (const piece of incoming) bytes += (piece as Buffer).length
      if (incoming.method !== 'GET') response.end(String(bytes))
      else await pipeline(Readable.from(gibibyte()), response.writeHead(200, { 'content-length': GIB }))
    }),
  )
}

async function startedProxy(target: string): Promise<{ url: string; child: ChildProcess }> {
  const words = ['proxy', target, '--key-id', 'pk_test_1', '--port', '0', '--operator-port', '0', '--ready-json']
  const env = { ...process.env, PARTNER_SECRET: 'sk_test_of_the_client' }
  const child = spawn(process.execPath, [BIN, ...words], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(async () => {
    child.kill('SIGINT')
    await once(child, 'exit')
  })
  const [line] = await once(child.stdout, 'data')
  return { url: JSON.parse(String(line)).url, child }
}

function megabytesOf({ pid }: ChildProcess): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024
}

it('a body of a gibibyte passes in either direction, and hardly adds to the memory of the proxy', async () => {
  const { url, child } = await startedProxy(await bigTarget())
  const before = megabytesOf(child)
  let most = before
  const watching = setInterval(() => {
    most = Math.max(most, megabytesOf(child))
  }, 200)
  onTestFinished(() => clearInterval(watching))

  const headers = { 'content-length': GIB, 'content-type': 'application/json' }
  const upload = request(`${url}/api/partner/v1/quotes`, { method: 'POST', headers })
  const uploaded = once(upload, 'response')
  await pipeline(Readable.from(gibibyte()), upload)
  const [answer] = await uploaded
  expect(await new Response(Readable.toWeb(answer) as ReadableStream).text()).toBe(String(GIB))

  let received = 0
  for await (const piece of (await fetch(`${url}/big`)).body ?? []) received += piece.length
  expect(received).toBe(GIB)
  expect(most - before).toBeLessThan(128)
})
