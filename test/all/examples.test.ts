import { execFile } from 'node:child_process'
import { readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningServer, startServer } from '../../src/server.ts'
import { tempFolderOfFile } from '../support/temp-folder.ts'
import { lacks } from '../support/tools.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
const compiled = tempFolderOfFile()

/** The walks of examples/, each with words that its story must come to. */
const WALKS = {
  referral: [/2 clicks and 1 sale/, /of commission/],
  'partner-collected-sale': [
    /EXTERNALLY_PAID > TRANSFER_IN_PROGRESS > TRANSFER_COMPLETED > SETTLED/,
    /refused: conflict/,
  ],
  'hosted-checkout': [/declined/, /accrued[\s\S]*pending[\s\S]*paid_out/],
  brokerage: [/cannot be brokered: active_site/, /OPEN > DEAL_CLOSED/],
} as const

type Walk = keyof typeof WALKS

/** How each language is run, from the name of a walk to program and arguments. */
const LANGUAGES: Record<string, (walk: Walk) => [string, string[]]> = {
  TypeScript: (walk) => [process.execPath, [join(compiled, `${walk}.js`)]],
  Python: (walk) => ['python3', ['-B', join(root, 'examples/python', `${walk.replaceAll('-', '_')}.py`)]],
}

beforeAll(async () => {
  await run(process.execPath, [
    join(root, 'node_modules/typescript/bin/tsc'),
    ...['-p', join(root, 'examples/typescript'), '--outDir', compiled],
  ])
  // The compiled walks are modules, as the package they come from says.
  symlinkSync(join(root, 'package.json'), join(compiled, 'package.json'))
})

describe.each(Object.entries(LANGUAGES))('in %s', (language, program) => {
  // One sandbox for all walks, as a reader has: none may stumble over what another left behind.
  let sandbox: RunningServer
  beforeAll(async () => {
    sandbox = await startServer({ port: 0, operatorPort: 0 })
  })
  afterAll(() => sandbox.close())

  it.skipIf(language === 'Python' && lacks('python3')).each(Object.entries(WALKS))(
    'walks through %s to its end',
    async (walk, story) => {
      const main = sandbox.credentials.find(({ name }) => name === 'main')
      const [command, args] = program(walk as Walk)
      const { stdout } = await run(command, args, {
        env: {
          ...process.env,
          PARTNER_URL: sandbox.url,
          PARTNER_KEY_ID: main?.key_id,
          PARTNER_SECRET: main?.secret,
          PARTNER_SANDBOX_URL: sandbox.operator?.url,
        },
        timeout: 50_000,
      })
      for (const words of story) expect(stdout).toMatch(words)
    },
  )
})

it.skipIf(lacks('python3'))('says in a line that no webhook came, in both languages', async () => {
  const line = 'no webhook of type order.recorded came within 0.1 s; is the clock frozen, or a delivery profile set?\n'
  const receiver = JSON.stringify(join(compiled, 'webhook-receiver.js'))
  const typeScript = `const { receiveWebhooks } = await import(${receiver}); await (await receiveWebhooks('s', 0.1)).next('order.recorded')`
  const python = `from webhook_receiver import WebhookReceiver; WebhookReceiver('s', 0.1).next('order.recorded')`
  const waits = [
    run(process.execPath, ['--input-type=module', '-e', typeScript]),
    run('python3', ['-B', '-c', python], { cwd: join(root, 'examples/python') }),
  ]
  for (const wait of waits) {
    const { code, stderr } = await wait.then(
      () => ({ code: 0, stderr: '' }),
      (error) => error,
    )
    expect([code, stderr]).toEqual([1, line])
  }
})

it('has every walk in both languages', () => {
  const walks = (folder: string, ending: string) =>
    readdirSync(join(root, 'examples', folder))
      .filter((file) => file.endsWith(ending))
      .map((file) => file.slice(0, -ending.length).replaceAll('_', '-'))
  for (const walk of Object.keys(WALKS)) {
    expect(walks('typescript', '.ts')).toContain(walk)
    expect(walks('python', '.py')).toContain(walk)
  }
})
