import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Where the output of a failed stage lies as soon as it has failed: the other stages may take most of an hour. */
const FOLDER = new URL('../../dist/stages/', import.meta.url)

/**
 * Runs every stage, whatever fails, and prints one line for each as it ends. At the end stands everything that a failed one
 * has printed, which is also in a file of dist/stages from the moment it failed.
 *
 * @param {{ name: string, command: string[], note?: RegExp, closing?: RegExp }[]} stages `note` finds what stands beside
 *   a stage's time, `closing` what is shown of its output although it passed.
 * @param {{ atOnce: number, env?: Record<string, string>, sumsUp?: boolean }} how with `sumsUp`, the last lines are those of
 *   the stages again, and their total: between them and the first there may be pages of what failed.
 * @returns {Promise<boolean>} whether all passed
 * @example await runStages([{ name: 'types', command: ['npm', 'run', 'check'] }], { atOnce: 2 })
 */
export async function runStages(stages, { atOnce, env = {}, sumsUp = false }) {
  const waiting = [...stages]
  const ended = []
  const runWaiting = async () => {
    for (let stage = waiting.shift(); stage; stage = waiting.shift()) ended.push(await runStage(stage, env))
  }
  await Promise.all(Array.from({ length: atOnce }, runWaiting))
  const failed = ended.filter(({ passed }) => !passed)
  for (const { closing, output } of ended.filter(({ passed }) => passed)) {
    const shown = closing?.exec(output)?.[0].trimEnd()
    if (shown) say(`\n${shown}`)
  }
  for (const { name, output } of failed) say(`\n== ${name}\n${output.trimEnd()}`)
  if (sumsUp) sayTable(ended)
  return failed.length === 0
}

/** What a stage prints is kept until the end, so that two never mix their lines. */
async function runStage(stage, env) {
  const { name, command, note } = stage
  const startedMs = Date.now()
  const printed = []
  const [program, ...options] = command
  const child = spawn(program, options, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...plainEnvironment(), ...env } })
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => printed.push(bytes))
  child.on('error', (error) => printed.push(Buffer.from(`${error.message}\n`)))
  const [code] = await once(child, 'close').catch(() => [1])
  const output = Buffer.concat(printed).toString()
  const tookMs = Date.now() - startedMs
  const passed = code === 0
  const line = lineOf(passed ? 'passed' : 'FAILED', name, tookMs, note?.exec(output)?.[1])
  say(line)
  if (!passed) say(`        ${keep(name, output)}`)
  return { ...stage, output, line, tookMs, passed }
}

/** @returns the file, as a path. */
function keep(name, output) {
  const file = fileURLToPath(new URL(`${name.replaceAll(' ', '-')}.log`, FOLDER))
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(file, output)
  return relative(process.cwd(), file)
}

function sayTable(ended) {
  const tookMs = ended.reduce((sum, stage) => sum + stage.tookMs, 0)
  say(`\n${ended.map(({ line }) => line).join('\n')}\n${lineOf('total', '', tookMs)}`)
}

function lineOf(verdict, name, tookMs, aside = '') {
  const took = `${Math.round(tookMs / 1_000)} s`
  return `${verdict.padEnd(6)}  ${name.padEnd(16)} ${took.padStart(6)}  ${aside}`.trimEnd()
}

/** Without colors: what is printed here is read in logs too. */
function plainEnvironment() {
  const { FORCE_COLOR: _, ...env } = process.env
  return { ...env, NO_COLOR: '1' }
}

function say(text) {
  process.stdout.write(`${text}\n`)
}
