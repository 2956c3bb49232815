import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { start, wire } from './contestants.mjs'
import { CONTESTS } from './contests.mjs'
import { load, median } from './load.mjs'

const FIRST_CALL = '/api/partner/v1/availability?domain=stalls-1.test'

/**
 * Races the sandbox against its rivals, contest by contest and round by round in turn. The first round warms up.
 *
 * @param {number} rounds
 * @returns rows of a table: of each contest the medians and the spread of its rounds.
 */
export async function race(rounds) {
  const folder = mkdtempSync(join(tmpdir(), 'partner-sandbox-bench-'))
  const running = new Map()
  const serverOf = async (name) => {
    if (!running.has(name)) running.set(name, await start(name, folder))
    return running.get(name)
  }
  const seen = Object.fromEntries(['start', ...Object.keys(CONTESTS)].map((name) => [name, []]))
  try {
    for (let round = 0; round <= rounds; round++) {
      for (const [name, contest] of Object.entries(CONTESTS)) {
        process.stderr.write(`\rround ${round} of ${rounds}: ${name}`.padEnd(60))
        const result = await oneRound(contest, serverOf)
        if (round > 0) seen[name].push(result)
      }
      const starts = { rival: await firstAnswer('bare', folder), own: await firstAnswer('sandbox', folder) }
      if (round > 0) seen.start.push(starts)
    }
  } finally {
    process.stderr.write('\r'.padEnd(60))
    process.stderr.write('\r')
    await Promise.all([...running.values()].map((server) => server.stop()))
    rmSync(folder, { recursive: true, force: true })
  }
  return Object.entries(seen).map(([name, results]) => rowOf(name, results))
}

async function oneRound({ own, rival, calls, rivalCalls = calls, expect }, serverOf) {
  const rivals = await measured(await serverOf(rival), rivalCalls, expect === 201 ? 201 : 200)
  return { rival: rivals, own: await measured(await serverOf(own), calls, expect) }
}

/** Rate, and CPU microseconds of the server for each answer. */
async function measured(server, calls, expect) {
  const requests = await calls(server)
  const cpuMs = server.cpuMs()
  const rate = await load(server.url, requests, { expect })
  const us = cpuMs === null ? null : ((server.cpuMs() - cpuMs) * 1_000) / requests.length
  return { rate, us }
}

/** Milliseconds from the start of the process to the first answered signed call. */
async function firstAnswer(name, folder) {
  const startedMs = performance.now()
  const server = await start(name, folder)
  await load(server.url, [wire({ key: server.key, target: FIRST_CALL })], { connections: 1, expect: 200 })
  const ms = performance.now() - startedMs
  await server.stop()
  return { ms }
}

/** What counts in a contest; more is better for the sandbox in each, except for its start. */
function ratioOf(name, { own, rival }) {
  if (name === 'start') return own.ms / rival.ms
  const isByCpu = CONTESTS[name].by === 'cpu' && own.us !== null
  return isByCpu ? rival.us / own.us : own.rate / rival.rate
}

function rowOf(name, results) {
  const ratios = results.map((result) => ratioOf(name, result))
  const of = (side, what) => median(results.map((result) => result[side][what]))
  return {
    name,
    rival: name === 'start' ? 'bare' : CONTESTS[name].rival,
    isLowBetter: name === 'start',
    ratio: median(ratios),
    spread: [Math.min(...ratios), Math.max(...ratios)],
    figures: name === 'start' ? ['ms'] : ['rate', 'us'],
    medianOf: of,
  }
}
