// Lints what `partner-sandbox openapi` prints, and docs/operator-openapi.json: npm run lint:openapi (needs a build). Zero errors,
// zero warnings.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const at = (path) => fileURLToPath(new URL(path, import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'openapi-'))
const file = join(folder, 'openapi.json')
const operatorFile = at('../../docs/operator-openapi.json')
// The linter neither reports home nor looks for newer releases of itself, and uses colors only on a terminal.
const colors = process.stdout.isTTY ? {} : { NO_COLOR: '1', FORCE_COLOR: '0' }
const env = { ...process.env, ...colors, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }

/** Shows the output only of a program that fails: the linter frames a notice about releases of Node, and praises a valid document. */
function run(...args) {
  const { status, error, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env })
  if (error) throw error
  if (status !== 0) process.stderr.write(stdout + stderr)
  return status ?? 1
}

try {
  process.exitCode =
    run(at('../../bin/partner-sandbox.js'), 'openapi', '--output', file) ||
    run(
      fileURLToPath(import.meta.resolve('@redocly/cli/bin/cli.js')),
      'lint',
      file,
      operatorFile,
      '--config',
      at('redocly.yaml'),
    )
} finally {
  rmSync(folder, { recursive: true })
}
