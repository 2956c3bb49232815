import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { register } from '../support/hooks.ts'
import { startSandbox } from '../support/sandbox.ts'
import { judgeAt } from './judge.ts'
import { hmac, SECRET } from './receivers.ts'

/** Takes what comes as bytes, answers 200, and keeps it. */
async function startEar() {
  const heard: string[] = []
  const server = createServer((socket) => {
    let text = ''
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      const [head = '', body] = text.split('\r\n\r\n')
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
      if (body === undefined || body.length < length) return
      heard.push(text)
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n')
      text = ''
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { heard, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks?shop=1` }
}

/** What differs from one delivery to the next, made the same. */
function formOf(text: string): string {
  return text
    .replace(/127\.0\.0\.1:\d+/, 'HOST')
    .replace(/[0-9a-f]{64}/, 'SIGNATURE')
    .replace(/(evt|ptr|ord)_[0-9a-z]+/g, '$1_ID')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/, 'INSTANT')
    .replace(/"domain":"[^"]+"/, '"domain":"DOMAIN"')
    .replace(/"sale_price_cents":\d+/, '"sale_price_cents":CENTS')
    .replace(/content-length: \d+/, 'content-length: LENGTH')
}

it('the first delivery of a run has the bytes that the sandbox sends, but for what each delivery has of its own', async () => {
  const [ofSandbox, ofRunner] = [await startEar(), await startEar()]
  const sandbox = await startSandbox()
  await register(sandbox, ofSandbox.url, { secret: SECRET })
  await sandbox.sell()
  await expect.poll(() => ofSandbox.heard.length).toBe(1)
  await judgeAt(ofRunner.url, { only: ['events/first'] })
  expect(formOf(ofRunner.heard[0] ?? '')).toBe(formOf(ofSandbox.heard[0] ?? ''))
  const [, body = ''] = (ofRunner.heard[0] ?? '').split('\r\n\r\n')
  expect(ofRunner.heard[0]).toContain(`x-partner-signature: ${hmac(body)}\r\n`)
})

it('no two runs have an event, order or partner in common', async () => {
  const { heard, url } = await startEar()
  await judgeAt(url, { only: ['events/every-type'] })
  await judgeAt(url, { only: ['events/every-type'] })
  const ids = heard.flatMap((text) => /"id":"(evt_[^"]+)"/.exec(text)?.[1] ?? [])
  expect(ids.length).toBe(16)
  expect(new Set(ids).size).toBe(16)
})
