import { execFile } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
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

/** What is left of a hint for the shell; null where it is in words. */
function pastedPart(hint: string): string | null {
  if (!/^(?:PARTNER_SECRET=\w* )?(?:partner-sandbox|curl|line=)/.test(hint) || hint.includes('…')) return null
  return hint.split(/; then |: it is /)[0] as string
}

it.skipIf(lacks('curl')).each(['default', 'other'])(
  'what coverage says can be pasted meets what it is said to meet, in the world %s',
  async (world) => {
    const sandbox = await startSandbox({ inventory: 20, program: 'partner-sandbox' })
    const made =
      world === 'default' ? null : await sandbox.operate('POST', '/v1/worlds', { name: world, inventory: 20 })
    const [main] = (made?.json.credentials ?? sandbox.credentials) as { key_id: string; secret: string }[]
    const paste = shell()
    const { sections } = await coverageIn(sandbox, world)
    const rows = sections
      .filter(({ id }) => id === 'endpoints' || id === 'codes')
      .flatMap((section) =>
        section.rows.map((row) => ({ section: section.id, ...row, line: pastedPart(row.hint ?? '') })),
      )
    const pasted = rows.filter(({ line }) => line !== null)
    expect(rows.filter(({ line }) => line === null).map(({ id }) => id)).toEqual([
      'orders.detail',
      'refunds.create',
      'brokerage.detail',
      'webhooks.put',
      'quote_expired',
    ])
    const came: string[] = []
    for (const { id, line, hint } of pasted) {
      came.push(`${id}: ${await paste(line as string)}`)
      if (!hint?.includes('; then let the client GET /orders')) continue
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
