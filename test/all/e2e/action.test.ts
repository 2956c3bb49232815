import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { end, type Served, serve } from '../../support/served.ts'
import { tempFolderOfFile } from '../../support/temp-folder.ts'

// The shell of action.yml, run as a runner of GitHub runs it: inputs as variables, files for outputs and the summary.

const root = fileURLToPath(new URL('../../..', import.meta.url))
const action = parse(readFileSync(join(root, 'action.yml'), 'utf8'))
const judge = action.runs.steps.find(({ id }: { id?: string }) => id === 'conform')
const folder = tempFolderOfFile()
let sound: Served
let broken: Served

beforeAll(async () => {
  sound = await serve()
  broken = await serve('--defect', 'nonce-never-tracked')
})
afterAll(async () => {
  await Promise.all([sound, broken].map(({ child }) => end(child, 'SIGTERM')))
})

interface Outcome {
  code: number | null
  log: string
  outputs: Record<string, string>
  summary: string
  report(name: string): string
}

let jobs = 0

/** Runs the step with these inputs, the others at their defaults. */
function runStep(inputs: Record<string, string>): Outcome {
  const job = join(folder, `job-${++jobs}`)
  mkdirSync(job)
  const [output, summary] = [join(job, 'output'), join(job, 'summary')]
  for (const file of [output, summary]) writeFileSync(file, '')
  const env: NodeJS.ProcessEnv = { PATH: process.env['PATH'] }
  for (const [name, expression] of Object.entries(judge.env as Record<string, string>)) {
    const input = /^\$\{\{ inputs\.([a-z-]+) \}\}$/.exec(expression)?.[1] ?? ''
    expect(action.inputs).toHaveProperty(input)
    env[name] = inputs[input] ?? action.inputs[input].default
  }
  Object.assign(env, { GITHUB_ACTION_PATH: root, GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary })
  // What `shell: bash` stands for in an action.
  const { status, stdout, stderr } = spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', judge.run], {
    cwd: job,
    env,
    encoding: 'utf8',
  })
  const lines = readFileSync(output, 'utf8').trim().split('\n')
  return {
    code: status,
    log: stdout + stderr,
    outputs: Object.fromEntries(lines.map((line) => line.split('=', 2))),
    summary: readFileSync(summary, 'utf8'),
    report: (name) => readFileSync(join(job, inputs['reports'] ?? 'conformance', name), 'utf8'),
  }
}

function mainOf({ url, credentials }: Served): Record<string, string> {
  const main = credentials.find(({ name }) => name === 'main')
  return { url, 'key-id': main?.key_id ?? '', secret: main?.secret ?? '' }
}

const only = (pattern: string): Record<string, string> => ({ arguments: `--only\n${pattern}\n` })

describe('the action', () => {
  it('passes where what was asked for is shown, and says so in outputs and summary', () => {
    const { code, outputs, summary } = runStep({ ...mainOf(sound), ...only('replay/*'), 'allow-unverified': 'true' })
    expect(code).toBe(0)
    expect(outputs).toEqual({ verdict: 'not_fully_verified', 'exit-code': '0' })
    expect(summary).toContain('NONCE-01')
  })

  it('fails on a violation, with an annotation, and keeps every report, the secret nowhere', () => {
    const inputs = { ...mainOf(broken), ...only('auth/nonce-reuse') }
    const { code, outputs, log, summary, report } = runStep(inputs)
    expect(code).toBe(1)
    expect(outputs).toEqual({ verdict: 'non_conforming', 'exit-code': '1' })
    expect(log).toMatch(/^::error .*NONCE-01/m)
    expect(summary).toContain('NONCE-01')
    const reports = ['report.html', 'summary.md', 'junit.xml', 'run.ndjson'].map(report)
    for (const text of reports) expect(text).toContain('NONCE-01')
    for (const text of [log, summary, ...reports, report('report.json')]) expect(text).not.toContain(inputs['secret'])
  })

  it('takes several profiles, with blanks between', () => {
    const inputs = { ...mainOf(sound), profile: 'core checkout', arguments: '--dry-run', 'allow-unverified': 'true' }
    const { code, report } = runStep(inputs)
    expect(code).toBe(0)
    expect(JSON.parse(report('report.json')).profile.name).toMatch(/core.*checkout/)
  })

  it('fails without a verdict where the run could not begin', () => {
    const { code, outputs } = runStep({ target: 'there-is-none.yaml' })
    expect([code, outputs]).toEqual([4, { verdict: '', 'exit-code': '4' }])
  })

  it('runs nothing that an input says', () => {
    const proof = join(folder, 'proof')
    const { code } = runStep({ target: `$(touch ${proof})`, arguments: `--only\n; touch ${proof}` })
    expect([code, existsSync(proof)]).toEqual([4, false])
  })
})
