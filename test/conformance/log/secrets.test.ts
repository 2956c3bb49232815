import { describe, expect, it, onTestFinished } from 'vitest'
import type { LoadedScenario } from '../../../src/conformance/format/scenario.ts'
import { readLog } from '../../../src/conformance/log/lines.ts'
import { followRun, logOf } from '../../../src/conformance/log/write-log.ts'
import { startRawServer } from '../../support/raw-server.ts'
import { judge, models, targetOf } from '../../support/referee.ts'

const CANARY = 'canary/sk+test=d41d8"cd98f\u00e9'
const around = { invocation: 'partner-sandbox conform --target staging.yaml', keepsNothing: false }

/** In every form that a target could give a secret back in, on its own and inside other text. */
function echoes(): string[] {
  const inBase64 = [0, 1, 2, 3].map((length) => Buffer.from(`${'x'.repeat(length)}${CANARY}tail`).toString('base64'))
  const hex = Buffer.from(CANARY).toString('hex')
  const inJson = JSON.stringify(CANARY)
  const asPhpDoes = inJson.replaceAll('/', '\\/').replaceAll('\u00e9', '\\u00e9')
  return [
    CANARY,
    encodeURIComponent(CANARY),
    inJson,
    JSON.stringify(inJson),
    asPhpDoes,
    hex,
    hex.toUpperCase(),
    ...inBase64,
  ]
}

/** Long enough pieces of each form that nothing else has them. */
function traces(): string[] {
  return [
    ...['canary/sk', 'canary%2Fsk', Buffer.from('canary/sk').toString('hex'), 'd41d8'],
    ...[0, 1, 2].map((length) =>
      Buffer.from(`${'x'.repeat(length)}canary/sk`)
        .toString('base64')
        .slice(4, 12),
    ),
  ]
}

/** Records a text that the target chose. */
const looking: LoadedScenario = {
  id: 'open/quote-id',
  file: 'test',
  scenario: {
    title: 'What an id looks like',
    proves: [],
    effects: { quotes: 1 },
    steps: [{ id: 'quote', call: { op: 'quotes.create' }, observe: { gap: 'QUOTE-07', take: 'quote.id', as: 'id' } }],
  },
}

describe('the log of a run against a target that gives the secret back wherever it can', () => {
  it('has no trace of it, neither while the run goes nor at its end', async () => {
    const server = await startRawServer((socket) => {
      const ids = echoes().map((echo) => ({
        domain: `${echo}.test`,
        public_id: echo,
        id: echo,
        price: 100,
        [echo]: echo,
      }))
      const body = Buffer.from(
        JSON.stringify({
          error: { code: CANARY, message: echoes().join(' ') },
          results: ids,
          data: ids,
          quote_id: CANARY,
        }),
      )
      const head = `HTTP/1.1 200 OK\r\nX-Echo: ${encodeURIComponent(CANARY)}\r\nSet-Cookie: ${Buffer.from(CANARY).toString('base64')}`
      socket.write(`${head}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`)
      socket.write(body)
    })
    onTestFinished(() => server.close())
    let followed = ''
    const log = followRun((text) => {
      followed += text
    }, around)
    const target = targetOf({ url: server.origin, keyId: 'pk_test_canary', secret: CANARY }, { mode: 'write' })
    const result = await judge(target, [...models, looking], { transcript: 'all', onProgress: log.show })
    log.end(result)
    expect(result.exchanges.length).toBeGreaterThan(10)
    expect(JSON.stringify(result.observations)).toContain('[secret]')
    expect(followed).toContain('[secret]')
    expect(readLog(followed).result).toStrictEqual(result)
    for (const text of [followed, logOf(result, around), JSON.stringify(readLog(followed).result)]) {
      expect(traces().filter((trace) => text.toLowerCase().includes(trace.toLowerCase()))).toEqual([])
    }
  })
})
