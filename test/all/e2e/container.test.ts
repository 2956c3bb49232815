import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { join, relative } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { copied, type Instruction, said, stagesOf } from '../../support/dockerfile.ts'
import { end } from '../../support/served.ts'
import { tempFolderOfFile } from '../../support/temp-folder.ts'

// Images are built where there is an engine. What can be shown without one: that the files the Dockerfile takes are
// there, that nothing else is needed to build, and that what is built and the production dependencies are all that its
// command and its health check need, for a user who may write nothing but /data.

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../..', import.meta.url))
const stages = stagesOf(join(root, 'Dockerfile'))
const stage = (name: string): Instruction[] => stages.get(name) ?? []
const [built, app] = [tempFolderOfFile(), tempFolderOfFile()]

/** `node` in the image; whoever runs the tests where that is not root. */
const USER = process.getuid?.() === 0 ? { uid: 1000, gid: 1000 } : {}

beforeAll(async () => {
  chmodSync(app, 0o755)
  await build()
  for (const path of copied(stage('run')).map((source) => relative('/app', source))) {
    if (path === 'node_modules') await copyProductionDependencies()
    else cpSync(join(built, path), join(app, path), { recursive: true })
  }
  mkdirSync(join(app, 'data'), { mode: 0o777 })
  chmodSync(join(app, 'data'), 0o777)
})
afterAll(() => {})

/** The first stage, with the dependencies that are here already. */
async function build(): Promise<void> {
  for (const path of copied(stage('build'))) cpSync(join(root, path), join(built, path), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(built, 'node_modules'))
  await run('npm', ['run', 'build'], { cwd: built })
}

async function copyProductionDependencies(): Promise<void> {
  const list = ['ls', '--omit=dev', '--all', '--parseable', '--silent']
  // Exit code 1 tells of optional peers that are missing; the list is whole all the same.
  const { stdout } = await run('npm', list, { cwd: root }).catch((error) => error as { stdout: string })
  const folders = stdout.split('\n').filter((folder) => folder.includes('node_modules'))
  expect(folders.length).toBeGreaterThan(20)
  const nested = (path: string, folder: string): boolean => relative(folder, path).split('/').includes('node_modules')
  for (const folder of folders) {
    const to = join(app, relative(root, folder))
    cpSync(folder, to, { recursive: true, filter: (path) => !nested(path, folder) })
  }
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return String(typeof address === 'object' && address !== null ? address.port : 0)
}

describe('the Dockerfile', () => {
  it('takes files that are there, and that .dockerignore lets through', () => {
    const sent = readFileSync(join(root, '.dockerignore'), 'utf8').match(/^!.*/gm) ?? []
    for (const path of copied(stage('build'))) {
      expect(existsSync(join(root, path)), path).toBe(true)
      expect(sent).toContain(`!${path}`)
    }
  })

  it('builds with the commands of package.json and leaves out what only developers need', () => {
    const { scripts, engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const commands = said(stage('build'), 'RUN').join('\n')
    expect(commands).toContain('npm ci')
    expect(commands).toMatch(/npm run build && npm prune --omit=dev/)
    expect(scripts.build).toBeDefined()
    const major = /NODE_VERSION=(\d+)/.exec(readFileSync(join(root, 'Dockerfile'), 'utf8'))?.[1]
    expect(engines.node).toContain(`>=${major}`)
  })

  it('runs as a user who is not root', () => {
    expect(said(stage('run'), 'USER')).toEqual(['node'])
  })

  it('serves with nothing but what it copies, and is healthy', async () => {
    const [program = '', script = ''] = JSON.parse(said(stage('run'), 'ENTRYPOINT')[0] ?? '[]') as string[]
    expect([program, script]).toEqual(['node', '/app/bin/partner-sandbox.js'])
    const words = JSON.parse(said(stage('run'), 'CMD')[0] ?? '[]') as string[]
    const own = ['--port', '0', '--operator-port', '0', '--data', join(app, 'data'), '--ready-json']
    const child = spawn(process.execPath, [script.replace('/app', app), ...words, ...own], {
      ...USER,
      cwd: app,
      env: { PATH: process.env['PATH'], NODE_ENV: 'production', PARTNER_SANDBOX_OPERATOR_TOKEN: 'sixteen-or-longer' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    try {
      const ended = once(child, 'exit').then(async () => {
        throw new Error(`it has ended: ${await text(child.stderr)}`)
      })
      const [line] = (await Promise.race([once(child.stdout, 'data'), ended])) as [Buffer]
      const ready = JSON.parse(line.toString())
      expect(ready.operator.token).toBe('sixteen-or-longer')
      const [check = ''] = said(stage('run'), 'HEALTHCHECK')
      const [, , source = ''] = JSON.parse(check.slice(check.indexOf('['))) as string[]
      expect(source).toContain(':4600/')
      const healthy = (at: string) => run(process.execPath, ['-e', source.replace('4600', at)], { cwd: app })
      await healthy(new URL(ready.url).port)
      await expect(healthy(await freePort())).rejects.toMatchObject({ code: 1 })
      if (USER.uid !== undefined) expect(statSync(join(app, 'data/default.sqlite')).uid).toBe(USER.uid)
    } finally {
      await end(child, 'SIGTERM')
    }
    expect(child.exitCode).toBe(0)
  })
})

describe('compose.yaml', () => {
  const { services } = parse(readFileSync(join(root, 'compose.yaml'), 'utf8'))

  it('starts the server with options it has', async () => {
    const { stdout } = await run(process.execPath, [join(root, 'bin/partner-sandbox.js'), 'serve', '--help'])
    const [command, ...options] = services.sandbox.command as string[]
    expect(command).toBe('serve')
    for (const option of options) expect(stdout).toContain(option.split('=')[0])
  })

  it('judges a world of its own once the server is healthy, on the same loopback', () => {
    expect(services.conformance.depends_on.sandbox.condition).toBe('service_healthy')
    expect(services.conformance.network_mode).toBe('service:sandbox')
  })
})
