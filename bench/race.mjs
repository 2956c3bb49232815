import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { start, wire } from './contestants.mjs'
import { CONTESTS, FIRST_CALL } from './contests.mjs'
import { load, median } from './load.mjs'
import { refuseOtherAnswers } from './same-answers.mjs'

/**
 * Races the sandbox against its rivals, contest by contest and round by round in turn. The first round warms up, and compares
 * what the two answer.
 *
 * @param {number} rounds that count.
 * @returns {Promise<Row[]>} one of each contest.
 *
 * @typedef {{ ms?: number, rate?: number, us?: number | null }} Figures of one side in one round: milliseconds to the first
 *   answer, or answers a second and microseconds of CPU for each.
 * @typedef {{ name: string, rival: string, by: string, ratio: number, spread: number[], rounds: { own: Figures, rival: Figures }[] }} Row
 */
export async function race(rounds) {
  const folder = mkdtempSync(join(tmpdir(), 'partner-sandbox-bench-'))
  const running = new Map()
  const serverOf = async (name) => {
    if (!running.has(name)) running.set(name, await start(name, folder))
    return running.get(name)
  }
  const seen = new Map(Object.keys(CONTESTS).map((name) => [name, []]))
  try {
    for (let round = 0; round <= rounds; round++) {
      for (const [name, contest] of Object.entries(CONTESTS)) {
        process.stderr.write(`round ${round} of ${rounds}: ${name}\n`)
        if (round > 0) seen.get(name).push(await oneRound(contest, serverOf))
        else await warmUp(name, contest, serverOf)
      }
    }
  } finally {
    await Promise.all([...running.values()].map((server) => server.stop()))
    rmSync(folder, { recursive: true, force: true })
  }
  return [...seen].map(([name, results]) => rowOf(name, results))
}

async function warmUp(name, contest, serverOf) {
  if (contest.by === 'ms') return
  const answersOf = async (side) => {
    const server = await serverOf(side)
    const bodies = []
    const requests = await contest.calls(server)
    await load(server.url, requests, { expect: contest.expect, heard: (body) => bodies.push(body.toString('utf8')) })
    return bodies
  }
  refuseOtherAnswers(name, await answersOf(contest.own), await answersOf(contest.rival), contest.tolerance)
}

async function oneRound({ own, rival, calls, expect, by }, serverOf) {
  if (by === 'ms') return { rival: await firstAnswer(rival), own: await firstAnswer(own) }
  return {
    rival: await measured(await serverOf(rival), calls, expect),
    own: await measured(await serverOf(own), calls, expect),
  }
}

async function measured(server, calls, expect) {
  const requests = await calls(server)
  const cpuMs = server.cpuMs()
  const rate = await load(server.url, requests, { expect })
  const us = cpuMs === null ? null : ((server.cpuMs() - cpuMs) * 1_000) / requests.length
  return { rate, us }
}

/** From the start of the process to the first answered signed call. */
async function firstAnswer(name) {
  const startedMs = performance.now()
  const server = await start(name)
  await load(server.url, [wire({ key: server.key, target: FIRST_CALL })], { connections: 1, expect: 200 })
  const ms = performance.now() - startedMs
  await server.stop()
  return { ms }
}

function rowOf(name, rounds) {
  const { rival, by } = CONTESTS[name]
  const ratios = rounds.map((round) => ratioOf(round, by))
  return { name, rival, by, ratio: median(ratios), spread: [Math.min(...ratios), Math.max(...ratios)], rounds }
}

/** How much of the rival's speed the sandbox has; a start that takes twice as long has half of it. */
function ratioOf({ own, rival }, by) {
  if (by === 'ms') return rival.ms / own.ms
  return by === 'cpu' && own.us !== null ? rival.us / own.us : own.rate / rival.rate
}

/** The rows as a table of Markdown. */
export function tableOf(rows) {
  const lines = rows.map(({ name, rival, by, ratio, spread, rounds }) => {
    const shown = (side) => figuresOf(rounds.map((round) => round[side]))
    const cells = [name, rival, by, shown('own'), shown('rival'), `${two(ratio)} (${spread.map(two).join('–')})`]
    return `| ${cells.join(' | ')} |`
  })
  return ['| contest | rival | by | sandbox | rival | ratio (spread) |', '|---|---|---|---|---|---|', ...lines].join(
    '\n',
  )
}

function figuresOf(some) {
  const of = (what) => Math.round(median(some.map((figures) => figures[what])))
  if (some[0].ms !== undefined) return `${of('ms')} ms`
  return some[0].us === null ? `${of('rate')} /s` : `${of('rate')} /s, ${of('us')} µs`
}

export function two(ratio) {
  return ratio.toFixed(2)
}
