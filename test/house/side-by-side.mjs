#!/usr/bin/env node
// Runs npm scripts that do not need each other, as many at once as there are processors:
//
//   node test/house/side-by-side.mjs SCRIPT...
//
// At least two at once. All of them run, whatever fails; the exit code is 1 if one failed.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'

const waiting = process.argv.slice(2)
await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, runWaiting))

async function runWaiting() {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) await runScript(name)
}

/** What a script prints is kept until it ends, so that two never mix their lines. */
async function runScript(name) {
  const script = spawn('npm', ['run', '--silent', name], { stdio: ['ignore', 'pipe', 'pipe'] })
  const printed = []
  for (const stream of [script.stdout, script.stderr]) stream.on('data', (bytes) => printed.push(bytes))
  const [code] = await once(script, 'close')
  process.stdout.write(`${name}: ${code === 0 ? 'passed' : 'failed'}\n`)
  process.stdout.write(Buffer.concat(printed))
  if (code !== 0) process.exitCode = 1
}
