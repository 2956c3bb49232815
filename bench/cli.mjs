// What a command line takes beside the least that Node could do for it. Usage: node bench/cli.mjs [--loaded]
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { start } from './contestants.mjs'
import { median } from './load.mjs'

const ROUNDS = Number(process.env.ROUNDS ?? 15)
/** The aim of each command, in times of its rival. */
const AIM = 1.3
const BIN = process.env.SANDBOX_BIN ?? fileURLToPath(new URL('../bin/partner-sandbox.js', import.meta.url))

/** A program of one line that makes the same call and prints the answer. */
const bareCall = (url, method, body) => `
  const request = require('node:http').request('${url}', { method: '${method}', headers: { 'content-type': 'application/json' } })
  request.on('response', (answer) => answer.setEncoding('utf8').on('data', (text) => process.stdout.write(text)))
  request.end(${body === undefined ? '' : `'${JSON.stringify(body)}'`})`

/** Each command with the program that is the least it could take. */
function contestsAt(operatorUrl) {
  const world = `${operatorUrl}/v1/worlds/default`
  const at = ['--sandbox', operatorUrl]
  return {
    '--help': { own: ['--help'], rival: '0' },
    'request list': { own: ['request', 'list', ...at], rival: bareCall(`${world}/requests?limit=50`, 'GET') },
    'clock advance 1m': {
      own: ['clock', 'advance', '1m', ...at],
      rival: bareCall(`${world}/clock/advance`, 'POST', { by: '1m' }),
    },
  }
}

/** Runs a program to its end. @returns what it printed, and how long it took. */
function run(args, env = {}) {
  return new Promise((resolve, reject) => {
    const startedMs = performance.now()
    const child = spawn(process.execPath, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
    let printed = ''
    let complaints = ''
    child.stdout.on('data', (chunk) => (printed += chunk))
    child.stderr.on('data', (chunk) => (complaints += chunk))
    child.on('close', (code) => {
      if (code !== 0) reject(new Error(`${args.join(' ')} ended with ${code}: ${complaints}`))
      else resolve({ tookMs: performance.now() - startedMs, printed })
    })
  })
}

async function race(contests) {
  const seen = Object.fromEntries(Object.keys(contests).map((name) => [name, { node: [], own: [], rival: [] }]))
  // The first round warms up the caches of the disk.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, { own, rival }] of Object.entries(contests)) {
      const took = { node: await run(['-e', '0']), rival: await run(['-e', rival]), own: await run([BIN, ...own]) }
      if (round > 0) for (const [side, { tookMs }] of Object.entries(took)) seen[name][side].push(tookMs)
    }
  }
  return seen
}

function tableOf(seen) {
  const lines = Object.entries(seen).map(([name, { node, own, rival }]) => {
    const ratios = own.map((tookMs, round) => tookMs / rival[round])
    const ms = (times) => `${median(times).toFixed(0)} ms`
    const spread = `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`
    const cells = [name, ms(own), ms(rival), ms(node), `${median(ratios).toFixed(2)} (${spread})`, AIM.toFixed(2)]
    return `| ${cells.join(' | ')} |`
  })
  const heads = ['command', 'sandbox', 'the least', '`node -e 0`', 'times the least (spread)', 'aim']
  return [`| ${heads.join(' | ')} |`, `|${heads.map(() => '---|').join('')}`, ...lines].join('\n')
}

/** Files of ours that a command has loaded, with their sizes, and modules of Node beyond those that `node -e 0` loads. */
async function loadedBy(args) {
  const folder = mkdtempSync(join(tmpdir(), 'partner-sandbox-cli-'))
  try {
    await run([BIN, ...args], { NODE_V8_COVERAGE: folder })
    const covered = readdirSync(folder).flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')).result)
    const files = covered
      .flatMap(({ url }) => (url.startsWith('file:') ? fileURLToPath(url) : []))
      .map((file) => ({ file, bytes: statSync(file).size }))
    return { files: files.sort((one, other) => other.bytes - one.bytes), modules: await modulesOf([BIN, ...args]) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const MARK = '\0modules '
const SAY_MODULES = `process.on('exit', () => process.stdout.write(${JSON.stringify(MARK)} + process.moduleLoadList.join()))`

async function modulesOf(args) {
  const { printed } = await run(['--import', `data:text/javascript,${encodeURIComponent(SAY_MODULES)}`, ...args])
  const names = printed.split(MARK)[1]?.split(',') ?? []
  return names.flatMap((name) => /^NativeModule (?!internal\/)(.*)/.exec(name)?.[1] ?? [])
}

async function printLoaded(contests) {
  const usual = new Set(await modulesOf(['-e', '0']))
  for (const [name, { own }] of Object.entries(contests)) {
    const { files, modules } = await loadedBy(own)
    const sum = files.reduce((bytes, one) => bytes + one.bytes, 0)
    console.log(`${name}: ${(sum / 1024).toFixed(0)} kB in ${files.length} files`)
    for (const { file, bytes } of files) console.log(`  ${(bytes / 1024).toFixed(0).padStart(5)} kB  ${file}`)
    console.log(`  of Node: ${modules.filter((module) => !usual.has(module)).join(', ')}`)
  }
}

const server = await start('sandbox')
try {
  const contests = contestsAt(server.operatorUrl)
  if (process.argv.includes('--loaded')) await printLoaded(contests)
  else console.log(tableOf(await race(contests)))
} finally {
  await server.stop()
}
