// Judges a running foreign server with the built product, as its user would: a target file and the command line.
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { lagsOf, startNoise } from './noise.mjs'
import { startForeignServer } from './server.mjs'
import { startStranger, targetOfStranger } from './stranger/target.mjs'
import { targetOf } from './targets.mjs'

const PROGRAM = fileURLToPath(new URL('../../bin/partner-sandbox.js', import.meta.url))

function run(args) {
  return new Promise((ended) => {
    const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'ignore', 'pipe'] })
    let told = ''
    child.stderr.on('data', (text) => (told += text))
    child.on('close', (exit) => ended({ exit, told }))
  })
}

async function judgeOnce(target, args) {
  const folder = await mkdtemp(join(tmpdir(), 'foreign-'))
  try {
    const [file, report] = [join(folder, 'target.json'), join(folder, 'report.json')]
    await writeFile(file, JSON.stringify(target))
    const started = Date.now()
    const { exit, told } = await run(['conform', '--target', file, '--reporter', `json=${report}`, ...args])
    const text = await readFile(report, 'utf8').catch(() => '')
    const scenarios = text === '' ? [] : JSON.parse(text).scenarios
    const checks = scenarios.flatMap((scenario) =>
      scenario.checks.map((check) => ({ scenario: scenario.id, ...check })),
    )
    const those = (verdict) => checks.filter((check) => check.verdict === verdict)
    return {
      exit,
      told,
      seconds: (Date.now() - started) / 1000,
      passed: those('pass').length,
      fails: those('fail'),
      harness: those('harness_error'),
      unproved: [...those('inconclusive'), ...those('not_run')],
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Judges a server so many times in a row, each time through the noise where there is any. With `together`, so many runs buy at the
 * same time with the same credentials, and none has an operator, whose clock would be that of all.
 */
export async function judge(
  personality,
  { defect, noise, seed = 1, times = 1, together = 1, dialect = true, args = [] },
) {
  const isStranger = personality === 'K'
  const running = await (isStranger
    ? startStranger({ defect })
    : startForeignServer(personality, {
        ...{ defect, seed, busyMs: noise?.busyMs },
        ...(noise?.lateLists && { lagOf: lagsOf(seed) }),
      }))
  const results = []
  try {
    for (let n = 0; n < times; n++) {
      const proxy =
        noise && !noise.busyMs && !noise.lateLists ? await startNoise(running.url, noise, seed * 100 + n) : undefined
      const options = { address: proxy?.url, dialect }
      const target = isStranger ? targetOfStranger(running, options) : targetOf(personality, running, options)
      const alike = together === 1 ? target : { ...target, mode: 'write', operator: undefined }
      const judged = await Promise.all(Array.from({ length: together }, () => judgeOnce(alike, args)))
      const upset =
        proxy && `${proxy.done.resets} of ${proxy.done.calls} calls reset, ${proxy.done.unavailable} answered 503`
      results.push(...judged.map((result) => ({ ...result, upset })))
      await proxy?.close()
    }
  } finally {
    await running.close()
  }
  return results
}

export const sayCheck = (check) =>
  `${check.scenario} > ${check.step} (${check.requirement}): ${check.actual ?? check.note ?? ''}`.slice(0, 240)
