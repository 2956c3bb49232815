import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { end, type Served, serve } from '../../support/served.ts'
import { tempFolderOfFile } from '../../support/temp-folder.ts'

// The shell of action.yml, run as a runner of GitHub runs it: inputs as variables, files for outputs and the summary.

const root = fileURLToPath(new URL('../../..', import.meta.url))
const action = parse(readFileSync(join(root, 'action.yml'), 'utf8'))
const stepOf = (id: string) => action.runs.steps.find((step: { id?: string }) => step.id === id)
const judge = stepOf('conform')
const folder = tempFolderOfFile()
let valid: Served
let broken: Served

beforeAll(async () => {
  valid = await serve()
  broken = await serve('--defect', 'nonce-never-tracked')
})
afterAll(async () => {
  await Promise.all([valid, broken].map(({ child }) => end(child, 'SIGTERM')))
})

interface Outcome {
  code: number | null
  log: string
  outputs: Record<string, string>
  summary: string
  report(name: string): string
}

let jobs = 0

/** Where the package lies, as the first step says. */
const FOLDER = '${{ steps.package.outputs.folder }}'

/** Runs the step with these inputs, the others at their defaults. */
function runStep(inputs: Record<string, string>): Outcome {
  const job = join(folder, `job-${++jobs}`)
  mkdirSync(job)
  const [output, summary] = [join(job, 'output'), join(job, 'summary')]
  // What the step before has installed.
  mkdirSync(join(job, 'partner-sandbox/node_modules'), { recursive: true })
  symlinkSync(root, join(job, 'partner-sandbox/node_modules/partner-sandbox'))
  for (const file of [output, summary]) writeFileSync(file, '')
  const env: NodeJS.ProcessEnv = { PATH: process.env['PATH'] }
  for (const [name, expression] of Object.entries(judge.env as Record<string, string>)) {
    if (expression === FOLDER) continue
    const input = /^\$\{\{ inputs\.([a-z-]+) \}\}$/.exec(expression)?.[1] ?? ''
    expect(action.inputs).toHaveProperty(input)
    env[name] = inputs[input] ?? action.inputs[input].default
  }
  Object.assign(env, { folder: join(job, 'partner-sandbox'), GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary })
  const { status, stdout, stderr } = inBash(judge.run, job, env)
  const lines = readFileSync(output, 'utf8').trim().split('\n')
  return {
    code: status,
    log: stdout + stderr,
    outputs: Object.fromEntries(lines.map((line) => line.split('=', 2))),
    summary: readFileSync(summary, 'utf8'),
    report: (name) => readFileSync(join(job, inputs['reports'] ?? 'conformance', name), 'utf8'),
  }
}

/** What `shell: bash` stands for in an action. */
function inBash(script: string, cwd: string, env: NodeJS.ProcessEnv) {
  return spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], { cwd, env, encoding: 'utf8' })
}

/** A copy of the action with one source file, and an npm that writes down how it is called; it packs as npm does. */
function fakeAction() {
  const job = join(folder, `job-${++jobs}`)
  for (const name of ['action/src', 'action/node_modules', 'bin', 'temp'])
    mkdirSync(join(job, name), { recursive: true })
  writeFileSync(join(job, 'action/src/main.ts'), 'one')
  writeFileSync(
    join(job, 'bin/npm'),
    `#!/bin/sh
echo "$(basename "$PWD"): npm $*" >>"${job}/npm.log"
[ "$1" != pack ] || : >"$3/partner-sandbox-0.1.0.tgz"
`,
  )
  chmodSync(join(job, 'bin/npm'), 0o755)
  const env = {
    PATH: `${join(job, 'bin')}:${process.env['PATH']}`,
    RUNNER_OS: 'Linux',
    RUNNER_ARCH: 'X64',
    GITHUB_ACTION_PATH: join(job, 'action'),
    RUNNER_TEMP: join(job, 'temp'),
  }
  /** What the first step says: whether the cache keeps what is installed, under which key, and where it lies. */
  function named(name = ''): Record<string, string | undefined> {
    writeFileSync(join(job, 'output'), '')
    const { status, stderr } = inBash(stepOf('package').run, job, {
      ...env,
      INPUT_PACKAGE: name,
      GITHUB_OUTPUT: join(job, 'output'),
    })
    expect([status, stderr]).toEqual([0, ''])
    const lines = readFileSync(join(job, 'output'), 'utf8').trim().split('\n')
    return Object.fromEntries(lines.map((line) => line.split('=', 2)))
  }
  return {
    job,
    named,
    key: (name = '') => named(name)['key'],
    /** How npm is called to install. */
    install(name = '') {
      const install = action.runs.steps.find((step: { name?: string }) => step.name === 'Install')
      expect(install.env).toEqual({ INPUT_PACKAGE: '${{ inputs.package }}', folder: FOLDER })
      const { status, stderr } = inBash(install.run, job, {
        ...env,
        INPUT_PACKAGE: name,
        folder: join(job, 'temp/partner-sandbox'),
      })
      expect([status, stderr]).toEqual([0, ''])
      return readFileSync(join(job, 'npm.log'), 'utf8').replaceAll(job, '').trim().split('\n')
    },
  }
}

function mainOf({ url, credentials }: Served): Record<string, string> {
  const main = credentials.find(({ name }) => name === 'main')
  return { url, 'key-id': main?.key_id ?? '', secret: main?.secret ?? '' }
}

const only = (pattern: string): Record<string, string> => ({ arguments: `--only\n${pattern}\n` })

describe('what the action installs', () => {
  it('is the package of its version, which is packed once: the cache knows it by its files', () => {
    const { job, key, install } = fakeAction()
    const before = key()
    expect(before).toMatch(/^partner-sandbox-Linux-X64-\d+-[0-9a-f]{64}$/)
    writeFileSync(join(job, 'action/node_modules/written-by-a-build.js'), '')
    expect(key()).toBe(before)
    expect(install()).toEqual([
      'action: npm ci --no-audit --no-fund',
      'action: npm pack --pack-destination /temp/partner-sandbox',
      'partner-sandbox: npm install --no-audit --no-fund ./package.tgz',
    ])
    writeFileSync(join(job, 'action/src/main.ts'), 'two')
    expect(key()).not.toBe(before)
  })

  it('is what the input names: a published version, or a packed file by its content', () => {
    const named = fakeAction()
    expect(named.install('partner-sandbox@0.1.0')).toEqual([
      'partner-sandbox: npm install --no-audit --no-fund partner-sandbox@0.1.0',
    ])
    expect(named.key('partner-sandbox@0.1.0')).not.toBe(named.key('partner-sandbox@0.2.0'))
    const folders = ['', 'partner-sandbox@0.1.0', 'partner-sandbox@0.2.0'].map((name) => named.named(name)['folder'])
    expect(new Set(folders).size).toBe(3)
    const packed = fakeAction()
    writeFileSync(join(packed.job, 'mine.tgz'), 'one')
    const before = packed.key('mine.tgz')
    expect(packed.install('mine.tgz')).toEqual(['partner-sandbox: npm install --no-audit --no-fund ./package.tgz'])
    writeFileSync(join(packed.job, 'mine.tgz'), 'two')
    expect(packed.key('mine.tgz')).not.toBe(before)
  })

  it.each([
    ['', 'true'],
    ['partner-sandbox@0.1.0', 'true'],
    ['partner-sandbox@1.0.0-rc.1', 'true'],
    ['partner-sandbox', 'false'],
    ['partner-sandbox@latest', 'false'],
    ['partner-sandbox@^0.1.0', 'false'],
  ])(
    'which is named %j is kept by the cache: %s, since another version may have that name tomorrow',
    (name, cached) => {
      expect(fakeAction().named(name)['cached']).toBe(cached)
    },
  )
})

describe('the action', () => {
  it('passes where what was asked for is shown, and says so in outputs and summary', () => {
    const { code, outputs, summary } = runStep({ ...mainOf(valid), ...only('replay/*'), 'allow-unverified': 'true' })
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
    const inputs = { ...mainOf(valid), profile: 'core checkout', arguments: '--dry-run', 'allow-unverified': 'true' }
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
