import { execFile } from 'node:child_process'
import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import type { Sandbox } from '../../../src/index.ts'
import { repoRoot } from '../../house/repo.ts'
import { expectRefundedOrder, exported, started } from '../../support/exported-scenario.ts'
import { tempFolder } from '../../support/temp-folder.ts'

/** Each call of a script starts a process of its own. */
const SCRIPT_PATIENCE_MS = 200_000

/** Runs an exported script against a sandbox of this process. */
async function runScript(script: string, { url, operatorUrl, credentials }: Sandbox): Promise<string> {
  const { keyId, secret } = credentials.main
  const bin = tempFolder()
  symlinkSync(join(repoRoot, 'bin/partner-sandbox.js'), join(bin, 'partner-sandbox'))
  // The sandbox is in this process, which must not wait for the script.
  const { stdout } = await promisify(execFile)('sh', [script], {
    timeout: SCRIPT_PATIENCE_MS,
    cwd: repoRoot,
    env: {
      ...process.env,
      PARTNER_KEY_ID: keyId,
      PARTNER_SECRET: secret,
      ...{
        PARTNER_KEY_ID_2: credentials['other-partner'].keyId,
        PARTNER_SECRET_2: credentials['other-partner'].secret,
      },
      PATH: `${bin}:${process.env['PATH']}`,
      PARTNER_URL: url,
      PARTNER_SANDBOX_URL: operatorUrl,
    },
  })
  return stdout
}

test(
  'the calls of a scenario run again as a shell script with curl',
  async () => {
    const sandbox = await started()
    const script = join(await exported('curl'), 'idempotency-stored-answer-after-refund.sh')
    await runScript(script, sandbox)
    await expectRefundedOrder(sandbox)
  },
  SCRIPT_PATIENCE_MS,
)

test(
  'the page of a scenario is paid at the address of its new session, and is not signed',
  async () => {
    const sandbox = await started()
    const script = join(await exported('curl', 'checkout/paying-sells'), 'checkout-paying-sells.sh')
    const page = readFileSync(script, 'utf8').match(/^ANSWER=.*"\$URL""\$\{checkout_url_\d+\}".*$/gm) ?? []
    expect(page.map((line) => line.includes(' sign '))).toEqual([false, false])
    await runScript(script, sandbox)
    const { checkout_sessions: sessions } = await sandbox.defaultWorld.checkout.list()
    expect(sessions.map(({ status }) => status)).toEqual(['paid'])
  },
  SCRIPT_PATIENCE_MS,
)
