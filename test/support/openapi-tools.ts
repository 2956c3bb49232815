import { execFile, spawn } from 'node:child_process'
import { cpSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { exchange, type TestAnswer } from './sandbox.ts'
import { end } from './served.ts'

const run = promisify(execFile)
const PINNED = fileURLToPath(new URL('../all/openapi-tools', import.meta.url))

/** Installs the tools in the versions of test/all/openapi-tools: users of OpenAPI have them, this product has not. */
export async function installOpenApiTools(folder: string): Promise<void> {
  cpSync(PINNED, folder, { recursive: true })
  await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder })
}

/**
 * Prism between a test and what it calls; its address. It tells of violations in a header, and lets everything pass:
 * with `--errors` it would keep back the very calls whose refusals are to be judged.
 */
export async function startPrism(folder: string, upstream: string): Promise<string> {
  const words = [
    'node_modules/@stoplight/prism-cli/dist/index.js',
    'proxy',
    'openapi.json',
    upstream,
    '--port',
    '0',
    '--cors',
    'false',
  ]
  const prism = spawn(process.execPath, words, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => end(prism, 'SIGKILL'))
  return new Promise((resolve, reject) => {
    let said = ''
    // Read to the end, since it logs every call and stops where nobody reads.
    prism.stdout.on('data', (chunk) => {
      said += chunk
      const address = /Prism is listening on (http:\S+)/.exec(said)?.[1]
      if (address) resolve(address)
    })
    prism.on('exit', () => reject(new Error(`Prism ended: ${said}`)))
  })
}

/** What Prism has against a call and its answer. */
export function violationsOf({ headers }: TestAnswer): { location: string[]; message: string }[] {
  return JSON.parse(String(headers['sl-violations'] ?? '[]'))
}

/** What stands behind Prism: a server, or what it said last with a change. */
export interface Behind {
  url: string
  /** Answers the next call as the last one was answered, with its body changed; null ends that. */
  change: ((body: Record<string, unknown>) => object) | null
}

export async function startBehind(origin: string): Promise<Behind> {
  let last: TestAnswer | null = null
  const server = createServer(async (request, response) => {
    const body = Buffer.from(await text(request))
    const { method = '', url: target = '', headers } = request
    if (!behind.change || !last)
      last = await exchange(origin, { method, target, headers: headers as Record<string, string>, body })
    const { 'content-length': _length, ...kept } = last.headers
    response.writeHead(last.status, kept as Record<string, string>)
    response.end(behind.change ? JSON.stringify(behind.change(last.json)) : last.text)
  })
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const behind: Behind = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, change: null }
  return behind
}
