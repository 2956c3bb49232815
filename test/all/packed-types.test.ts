import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, expect, it } from 'vitest'
import { tempFolderOfFile } from '../support/temp-folder.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = tempFolderOfFile()

const USER = `
import { runConformance, signRequest, startSandbox, verifyWebhook, type World } from 'partner-sandbox'
import { test } from 'partner-sandbox/vitest'

await using sandbox = await startSandbox({ seed: 'ci' })
const world: World = await sandbox.createWorld()
const key = world.credentials.main
const call = { method: 'GET', target: '/api/partner/v1/orders', timestampSeconds: 1_800_000_000, nonce: 'n-1' }
const { headers } = signRequest(key, call)
const isValid: boolean = verifyWebhook('whsec', Buffer.from('{}'), 'not hex')
const { verdict } = await runConformance({ target: { url: world.url, ...key } })
const event = await world.waitFor('order.recorded')
test('names the event', ({ world }) => console.log(world.name, headers, isValid, verdict, event.id))
`

/** What a project has that installed the package, vitest and Node's types: no type package of our dependencies. */
beforeAll(async () => {
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: root,
  })
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, '@types'), { recursive: true })
  await run('tar', ['-xzf', join(folder, JSON.parse(stdout)[0].filename), '-C', folder])
  cpSync(join(folder, 'package'), join(modules, 'partner-sandbox'), { recursive: true })
  for (const name of ['@types/node', 'undici-types', 'vitest'])
    symlinkSync(join(root, 'node_modules', name), join(modules, name))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module", "private": true }')
  writeFileSync(join(folder, 'user.ts'), USER)
})

it.each([
  ['NodeNext', { module: 'NodeNext' }],
  ['Bundler', { module: 'ESNext', moduleResolution: 'Bundler' }],
])(
  'the packed package compiles in a strict project that checks libraries, resolved as %s',
  async (name, resolution) => {
    const strict = {
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: false,
    }
    const compilerOptions = { target: 'ES2023', lib: ['ESNext'], ...strict, ...resolution, noEmit: true }
    const project = join(folder, `tsconfig.${name}.json`)
    writeFileSync(project, JSON.stringify({ compilerOptions, files: ['user.ts'] }))
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const complaints = await run(process.execPath, [tsc, '-p', project], { cwd: folder }).then(
      () => '',
      ({ stdout }) => stdout,
    )
    expect(complaints).toBe('')
  },
)
