import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const repoRoot = fileURLToPath(new URL('../..', import.meta.url))

/** The npm that runs this script, so that it can be run under another Node. */
export async function npmCli() {
  if (process.env.npm_execpath) return process.env.npm_execpath
  const { stdout } = await run('npm', ['root', '--global'])
  return join(stdout.trim(), 'npm/bin/npm-cli.js')
}

/** Builds and packs a copy, so that neither dist nor anything else in the checkout changes. */
export async function pack(folder, npm) {
  const staging = join(folder, 'staging')
  await mkdir(staging)
  const { files } = JSON.parse(await readFile(join(repoRoot, 'package.json'), 'utf8'))
  const shipped = files.filter((name) => !/^(?:!|dist\/)/.test(name))
  for (const name of ['package.json', 'README.md', 'LICENSE', 'tsconfig.json', 'src', 'examples', ...shipped]) {
    await cp(join(repoRoot, name), join(staging, name), { recursive: true })
  }
  await symlink(join(repoRoot, 'node_modules'), join(staging, 'node_modules'), 'dir')
  await run(process.execPath, [npm, 'run', '--silent', 'build'], { cwd: staging })
  const { stdout } = await run(process.execPath, [npm, 'pack', '--json', '--ignore-scripts'], { cwd: staging })
  return join(staging, JSON.parse(stdout)[0].filename)
}
