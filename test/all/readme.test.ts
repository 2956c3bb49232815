import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest'
import { type RunningServer, startServer } from '../../src/server.ts'
import { hmac, SECRET, serve, valid } from '../receiver/receivers.ts'
import { tempFolderOfFile } from '../support/temp-folder.ts'
import { lacks } from '../support/tools.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = tempFolderOfFile()

/** What the README shows and this test does not run. */
const NOT_RUN: [RegExp, string][] = [
  [/^npm (?:ci|cit)\b/, 'installs and tests the checkout: .ci/run does'],
  [/^npm pack\b/, 'packed-types.test.ts packs, test/nodes/run.mjs installs'],
  [/ > ready\.json &/, 'the line that this test reads of every serve'],
  [/\$LINK_URL/, 'an address that the reader has from an answer'],
  [/--effects-url/, 'needs a count that only the build of the reader has'],
  [/ selftest --scenarios/, 'needs scenarios that the reader has written'],
  [/ selftest --quick/, 'takes minutes: npm test runs it'],
]

/** Statements whose exit code is not 0, because the README says so or because of what this test lets them find. */
const EXIT_CODES: [RegExp, number][] = [
  // The run before has failed nothing.
  [/ --rerun-failed /, 4],
  [/ coverage --min 80/, 1],
  [/ --dry-run/, 0],
  [/ conform --self --(?:only|requirement)/, 2],
  [/ conform --self --selected/, 0],
  [/ conform [\s\S]*--only 'replay/, 1],
  [/ --allow-unverified/, 0],
  // The exit code is that of the run.
  [/ report --from /, 2],
  [/ conform .*(?:staging|sandbox\.yaml|--key-id pk_sandbox_\w+$)/, 2],
  [/ conform http/, 2],
]

/** What `discover` writes at first; the key is read by then. */
const targetFile = () => `url: ${staging.url}
credentials:
  - { name: main, key_id: ${staging.credentials[0]?.key_id}, secret: "\${env:PARTNER_SECRET}" }
`

/** What a reader has captured: a delivery, and a call whose signature is too old to be sent again. */
const DELIVERY = '{"id":"evt_1","type":"order.recorded"}'
const capturedCall = (secret: string) => {
  const nonce = 'n-1'
  const canonical = ['GET', '/api/partner/v1/orders', '', '1800000000', nonce, createHash('sha256').digest('hex')]
  const signature = createHmac('sha256', secret).update(canonical.join('\n')).digest('hex')
  const headers = { 'Key-Id': 'pk_sandbox_1', Timestamp: '1800000000', Nonce: nonce, Signature: `v1=${signature}` }
  const lines = Object.entries(headers).map(([name, value]) => `X-Partner-${name}: ${value}`)
  return ['GET /api/partner/v1/orders HTTP/1.1', 'Host: 127.0.0.1', ...lines, '', ''].join('\r\n')
}

/** Numbers of magic domains that are sold. */
let sales = 0

/** What takes longer than this hangs. */
const LONGEST_COMMAND_MS = 180_000

let sandbox: RunningServer
let staging: RunningServer
let hooks: Awaited<ReturnType<typeof serve>>
const started: ChildProcess[] = []

beforeEach(async () => {
  sandbox = await startServer({ port: 0, operatorPort: 0 })
  onTestFinished(() => sandbox.close())
  writeFileSync(join(folder, 'captured.http'), capturedCall(sandbox.credentials[0]?.secret ?? ''))
})

beforeAll(async () => {
  ;[staging, hooks] = await Promise.all([startServer({ port: 0, operatorPort: 0 }), serve(valid())])
  writeFileSync(join(folder, 'delivery.json'), DELIVERY)
  writeFileSync(join(folder, 'staging.yaml'), targetFile())
  for (const name of ['npx', 'partner-sandbox']) {
    const shift = name === 'npx' ? 'shift; ' : ''
    const program = `'${process.execPath}' '${join(root, 'bin/partner-sandbox.js')}'`
    writeFileSync(join(folder, name), `#!/bin/sh\n${shift}exec ${program} "$@"\n`)
    chmodSync(join(folder, name), 0o755)
  }
})

afterAll(async () => {
  for (const child of started) child.kill('SIGKILL')
  await Promise.all([staging.close(), hooks.close()])
})

/** The indented blocks of a page, each a list of statements, with the line each begins on. */
function blocksOf(page: string): { line: number; text: string }[][] {
  const blocks: { line: number; text: string }[][] = []
  let isOpen = false
  let isContinued = false
  for (const [at, line] of page.split('\n').entries()) {
    if (!line.startsWith('    ')) {
      isOpen = false
      continue
    }
    if (!isOpen) blocks.push([])
    isOpen = true
    const statements = blocks.at(-1) as { line: number; text: string }[]
    const text = line.slice(4).replace(/\s+# .*/, '')
    const last = statements.at(-1)
    if (isContinued && last) last.text += `\n${text}`
    else statements.push({ line: at + 1, text })
    isContinued = /(?:\\|\|)$/.test(text)
  }
  return blocks
}

/** What a reader copies from the screen: ids and addresses in place of the README's. */
async function filledIn(text: string, at: { url: string; operator: string }): Promise<string> {
  const main = sandbox.credentials[0]
  const judged = staging.credentials[0]
  const ask = async (path: string) => (await fetch(`${at.operator}/v1/worlds/${path}`)).json()
  const fillers: [RegExp, () => unknown][] = [
    [/https:\/\/staging\.example\.test/, () => staging.url],
    [/\bpk_test_\.\.\./, () => judged?.key_id],
    [/\bsk_test_\.\.\./, () => judged?.secret],
    [/\bpk_\.\.\./, () => main?.key_id],
    [/\bsk_\.\.\./, () => main?.secret],
    [/http:\/\/127\.0\.0\.1:4600/, () => at.url],
    [/http:\/\/127\.0\.0\.1:4601/, () => at.operator],
    [/http:\/\/localhost:3000\/hooks/, () => hooks.url],
    [/HOOK_SECRET=\.\.\./, () => `HOOK_SECRET=${SECRET}`],
    [/\ba-secret-of-your-own\b/, () => SECRET],
    [/\b5f1c\.\.\./, () => hmac(DELIVERY)],
    [/\bdlv_\.\.\./, async () => (await ask('default/deliveries')).deliveries[0].delivery_id],
    [/\bord_\.\.\./, async () => (await ask('default/orders')).orders[0].public_id],
    [/\breq_\.\.\./, () => refusedCall(ask)],
    [
      /\bcs_\.\.\./,
      () => sale('/checkout-session', { domain: `held-${++sales}.test`, return_url: hooks.url, cancel_url: hooks.url }),
    ],
    [/\bbrk_\.\.\./, () => sale('/brokerage', { tier: 'managed', buyer_email: 'ada@example.test', budget: 500_000 })],
    [/\bpk_sandbox_\.\.\./, async () => (await ask('ci-42/credentials')).credentials[0].key_id],
  ]
  let filled = text
  for (const [place, filler] of fillers) {
    if (place.test(filled)) filled = filled.replaceAll(new RegExp(place, 'g'), String(await filler()))
  }
  return filled
}

/** A call that was refused: what a reader wants to be explained. */
async function refusedCall(ask: (path: string) => Promise<{ requests: { request_id: string }[] }>): Promise<unknown> {
  await sale('/orders', {})
  return (await ask('default/requests')).requests[0]?.request_id
}

/** Makes what a partner would make first, and gives its id. */
async function sale(path: string, body: object): Promise<string> {
  const args = ['npx', 'partner-sandbox', 'sign', 'POST', `${sandbox.url}/api/partner/v1${path}`]
  const keyId = sandbox.credentials[0]?.key_id ?? ''
  const line = [...args, '--key-id', keyId, '--curl', '--body', `'${JSON.stringify(body)}'`].join(' ')
  const { output } = await run(`${line} | sh`)
  const made = JSON.parse(output)
  return made.session_id ?? made.case_id
}

/** As the page asks for: the scaffold of a scenario has places to fill in, here the wrong price of ORD-03. */
function fillIn(scenario: string): void {
  const file = join(folder, scenario)
  const wrongPrice = 'body: { set: { expected_price: "' + '$' + '{sellable.price + 100}" } }'
  const filled = readFileSync(file, 'utf8').replaceAll('TODO: ', '')
  writeFileSync(file, filled.replace('{ op: orders.create }', `{ op: orders.create, ${wrongPrice} }`))
}

interface Outcome {
  code: number | null
  output: string
}

function shell(text: string, at = { operator: sandbox.operator?.url ?? '' }): ChildProcess {
  const { PARTNER_SECRET: _none, ...env } = process.env
  const child = spawn('bash', ['-c', text], {
    cwd: folder,
    env: { ...env, PATH: `${folder}:${env['PATH']}`, PARTNER_SANDBOX_URL: at.operator, RUN_ID: '7' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  started.push(child)
  return child
}

async function run(text: string, at?: { operator: string }): Promise<Outcome> {
  const child = shell(text, at)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk))
  const limit = setTimeout(() => child.kill('SIGKILL'), LONGEST_COMMAND_MS)
  const [code] = await once(child, 'close')
  clearTimeout(limit)
  return { code, output }
}

/** Starts what goes on until it is ended, and gives the first line that it prints; a server's tells where it listens. */
async function firstLineOf(text: string, at: { operator: string }): Promise<string> {
  const { stdout } = shell(`exec ${text.replace(/^npx /, '')}`, at)
  const first = once(createInterface({ input: stdout as NodeJS.ReadableStream }), 'line').then(([line]) => String(line))
  // What follows calls has something to show once there is one.
  while (/ tail\b/.test(text)) {
    const line = await Promise.race([first, sale('/quotes', { domain: 'held-1.test' }).then(() => null)])
    if (line !== null) return line
  }
  return first
}

/** Runs the commands of a page in order; what did not end as a reader expects. */
async function problemsOf(path: string, isRun: (text: string) => boolean): Promise<string[]> {
  const wrong: string[] = []
  const exports: string[] = []
  await writeTargetFile(readFileSync(join(root, path), 'utf8'))
  for (const block of blocksOf(readFileSync(join(root, path), 'utf8'))) {
    let at = { url: sandbox.url, operator: sandbox.operator?.url ?? '' }
    const assignments: string[] = []
    for (const { line, text } of block) {
      if (text === '' || !isRun(text) || NOT_RUN.some(([shape]) => shape.test(text))) continue
      const command = await filledIn(text, at)
      if (/ serve\b/.test(command)) {
        const ready = await firstLineOf(`${command} --ready-json --port 0 --operator-port 0`, at)
        const { url, operator } = JSON.parse(ready)
        at = { url, operator: operator.url }
      } else if (/ (?:tail|--watch)\b/.test(command)) {
        expect(await firstLineOf(command, at), `${path}:${line}`).not.toBe('')
      } else {
        prepareFiles(command)
        // A reader has something to record by then.
        if (/ record /.test(command)) await sale('/quotes', { domain: 'held-1.test' })
        const { code, output } = await run([...exports, ...assignments, command].join('\n'), at)
        if (/ scenario new /.test(command)) fillIn(/--out (\S+)/.exec(command)?.[1] ?? '')
        const expected = EXIT_CODES.find(([shape]) => shape.test(text))?.[1] ?? 0
        if (code !== expected || (command.includes('curl') && /^\{"code":/.test(output)))
          wrong.push(`${path}:${line}: ${command}\nexit ${code}\n${output}`)
      }
      if (text.startsWith('export ')) exports.push(command)
      else if (/^\w+=\S/.test(text) && !/ npx /.test(text)) assignments.push(command)
    }
  }
  return wrong
}

/** The target file of a running sandbox, where a page shows it. */
async function writeTargetFile(page: string): Promise<void> {
  const [, file] = /```yaml\n(# sandbox\.yaml\n[\s\S]*?)```/.exec(page) ?? []
  if (!file) return
  const at = { url: sandbox.url, operator: sandbox.operator?.url ?? '' }
  writeFileSync(join(folder, 'sandbox.yaml'), await filledIn(file, at))
}

/** The logs of earlier runs that some commands read. */
function prepareFiles(command: string): void {
  for (const name of ['out/yesterday.ndjson', 'out/today.ndjson'])
    if (command.includes(name)) copyFileSync(join(folder, 'out/run.ndjson'), join(folder, name))
}

it.skipIf(lacks('curl', 'openssl'))(
  'every command of the README works as it is pasted, from top to bottom',
  async () => {
    expect(await problemsOf('README.md', () => true)).toEqual([])
  },
  600_000,
)

/** What is a command in a block of docs; the rest is what is sent and answered. */
const COMMAND = /^(?:npx|curl -|echo|export|jq|key=|path=|body_hash=|signature=|(?:[A-Z_]+=\S+ )+npx) ?/

/** What goes on until it is ended; that of the README is run. */
const FOLLOWING = / tail\b|\/stream| --watch\b/

const PAGES = ['getting-started', 'signing', 'orders-and-money', 'sales-models', 'webhooks', 'worlds-and-time']
  .concat(['faults', 'api', 'testing', 'reports-and-ci', 'scenarios', 'judging-a-target'])
  .map((name) => `docs/${name}.md`)
  .concat('skills/partner-sandbox/SKILL.md')

it.skipIf(lacks('curl', 'openssl')).each(PAGES)(
  'every command of %s works as it is pasted, from top to bottom',
  async (path) => {
    expect(await problemsOf(path, (text) => COMMAND.test(text) && !FOLLOWING.test(text))).toEqual([])
  },
  600_000,
)
