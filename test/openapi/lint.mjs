// Lints what `partner-sandbox openapi` prints: npm run lint:openapi (needs a build). Zero errors, zero warnings.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const at = (path) => fileURLToPath(new URL(path, import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'openapi-'))
const file = join(folder, 'openapi.json')
// The linter neither reports home nor looks for newer releases of itself.
const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }

function run(...args) {
  const { status, error } = spawnSync(process.execPath, args, { stdio: 'inherit', env })
  if (error) throw error
  return status ?? 1
}

try {
  process.exitCode =
    run(at('../../bin/partner-sandbox.js'), 'openapi', '--output', file) ||
    run(fileURLToPath(import.meta.resolve('@redocly/cli/bin/cli.js')), 'lint', file, '--config', at('redocly.yaml'))
} finally {
  rmSync(folder, { recursive: true })
}
