import { execFile } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { ENDPOINT_IDS } from '../../src/contract/endpoint-ids.ts'
import { ENDPOINTS } from '../../src/contract/endpoints.ts'
import { ERROR_CODES } from '../../src/contract/errors.ts'
import { CODE_HINTS } from '../../src/sandbox/coverage/hints.ts'
import { coverageIn } from '../support/coverage.ts'
import { startSandbox } from '../support/sandbox.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { lacks } from '../support/tools.ts'

const PROGRAM = fileURLToPath(new URL('../../bin/partner-sandbox.js', import.meta.url))

/** A shell in which `partner-sandbox` is this one, and which names no sandbox. */
function shell() {
  const folder = tempFolder()
  const program = join(folder, 'partner-sandbox')
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`)
  chmodSync(program, 0o755)
  const { PARTNER_SECRET: _secret, PARTNER_SANDBOX_URL: _url, ...env } = process.env
  const options = { env: { ...env, PATH: `${folder}:${env['PATH']}` } }
  return (line: string) =>
    new Promise<string>((resolve) => {
      execFile('sh', ['-c', line], options, (error, stdout, stderr) => resolve(`${stdout}${stderr}${error ?? ''}`))
    })
}

/** The rows whose hint is in words, as only the client knows what to send. */
const IN_WORDS: ReadonlySet<string> = new Set([
  ...ENDPOINT_IDS.filter((id) => 'words' in ENDPOINTS[id].hint),
  ...ERROR_CODES.filter((code) => 'words' in CODE_HINTS[code]),
])

it.skipIf(lacks('curl')).each(['default', 'other'])(
  'what coverage says can be pasted meets what it is said to meet, in the world %s',
  async (world) => {
    const sandbox = await startSandbox({ inventory: 20, program: 'partner-sandbox' })
    const made =
      world === 'default' ? null : await sandbox.operate('POST', '/v1/worlds', { name: world, inventory: 20 })
    const [main] = (made?.json.credentials ?? sandbox.credentials) as { key_id: string; secret: string }[]
    const paste = shell()
    const { sections } = await coverageIn(sandbox, world)
    const pasted = sections
      .filter(({ id }) => id === 'endpoints' || id === 'codes')
      .flatMap((section) => section.rows.map((row) => ({ section: section.id, ...row })))
      .filter(({ id }) => !IN_WORDS.has(id))
    const came: string[] = []
    for (const { id, hint } of pasted) {
      const [line, then] = (hint ?? '').split('; then ')
      came.push(`${id}: ${await paste(line as string)}`)
      if (then === undefined) continue
      const signs = { secret: main?.secret ?? '' }
      await sandbox.call({ path: '/orders', headers: { 'X-Partner-Key-Id': main?.key_id ?? '' }, signs })
    }
    const after = (await coverageIn(sandbox, world)).sections
    const missed = pasted.filter(
      ({ section, id }) => after.find((one) => one.id === section)?.rows.find((row) => row.id === id)?.state !== 'met',
    )
    expect(missed.map(({ id }) => came.find((text) => text.startsWith(`${id}:`)))).toEqual([])
  },
  120_000,
)
