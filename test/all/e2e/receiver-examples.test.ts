import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { judgeAt, notGreen } from '../../receiver/judge.ts'
import { SECRET } from '../../receiver/receivers.ts'
import { lacks } from '../../support/tools.ts'

const at = (path: string) => new URL(`../../../examples/${path}`, import.meta.url).href

async function expectConforming(url: string): Promise<void> {
  const result = await judgeAt(url)
  expect(notGreen(result)).toEqual([])
  expect(result.verdict).toBe('conforming')
}

it('the receiver of the TypeScript examples conforms', async () => {
  const { receiveWebhooks } = await import(at('typescript/webhook-receiver.ts'))
  const receiver = await receiveWebhooks(SECRET)
  onTestFinished(() => receiver.close())
  await expectConforming(receiver.url)
})

it.skipIf(lacks('python3'))('the receiver of the Python examples conforms', async () => {
  const program = [
    'import sys, time',
    `sys.path.insert(0, sys.argv[1])`,
    'from webhook_receiver import WebhookReceiver',
    'print(WebhookReceiver(sys.argv[2]).url, flush=True)',
    'time.sleep(600)',
  ].join('\n')
  const python = spawn('python3', ['-B', '-c', program, fileURLToPath(at('python')), SECRET], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  onTestFinished(() => void python.kill())
  await expectConforming(await firstLine(python))
})

it('the receiver of the shop in examples/partner-app conforms', async () => {
  const [{ createShopServer }, { createShop }, { createPurchaseStore }] = await Promise.all(
    ['server', 'shop', 'purchases'].map((name) => import(at(`partner-app/src/${name}.ts`))),
  )
  const purchases = createPurchaseStore()
  const nobody = () => Promise.reject(new Error('no API in this test'))
  const server = createShopServer({ shop: createShop(nobody, purchases), purchases, webhookSecret: SECRET })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => server.close())
  await expectConforming(`http://127.0.0.1:${server.address().port}/hooks`)
})

function firstLine({ stdout }: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    stdout?.once('data', (chunk: Buffer) => resolve(chunk.toString('utf8').trim()))
    stdout?.once('end', () => reject(new Error('python3 said nothing')))
  })
}
