import { describe, expect, it } from 'vitest'
import { register, settled } from '../support/hooks.ts'
import { startReceiver } from '../support/receiver.ts'
import { startSandbox } from '../support/sandbox.ts'
import { cliAgainst } from './against.ts'

const START_MS = Date.parse('2026-03-01T00:00:00.000Z')

/** A frozen sandbox whose receiver refuses what it gets, with one order sold. */
async function refusedDelivery() {
  const hook = await startReceiver((response) => void response.writeHead(503).end('not\u001b[2J\nnow'))
  const sandbox = await startSandbox({ inventory: 0, frozen: true, clockMs: START_MS })
  await register(sandbox, hook.url)
  await sandbox.sell()
  await settled(sandbox)
  const commands = cliAgainst(sandbox)
  const { deliveries } = await commands.okJson('delivery', 'list')
  return { ...commands, hook, sandbox, delivery: deliveries[0] }
}

describe('delivery', () => {
  it('lists the log in a table, and says how to see more', async () => {
    const { ok, delivery, sandbox } = await refusedDelivery()
    expect(await ok('delivery', 'list')).toMatch(
      new RegExp(
        `^DELIVERY +STATE +TYPE +EVENT +COPY +ATTEMPTS +LAST ATTEMPT +ANSWER +NEXT ATTEMPT +PARTNER +CREATED\\n${delivery.delivery_id} +pending +order\\.recorded +evt_\\w+ +0 +1 +2026-03-01T00:00:00\\.000Z +answered 503 +2026-03-01T00:00:10\\.000Z +ptr_`,
      ),
    )
    expect(await ok('delivery', 'list', '--state', 'failed')).toBe('no deliveries\n')
    await sandbox.sell()
    expect(await ok('delivery', 'list', '--limit', '1')).toMatch(/\n\(there are more: --cursor dlv_\w+\)\n$/)
  })

  it('shows what is sent and every attempt, and makes one more', async () => {
    const { run, ok, delivery, hook } = await refusedDelivery()
    const text = await ok('delivery', 'redeliver', delivery.delivery_id)
    expect(hook.received).toHaveLength(2)
    expect(text).toContain(`\nbody\n  ${hook.received[0]?.text}\n`)
    expect(text).toMatch(
      /\nNO +AT +CAUSE +STATUS +MS +FAILURE +URL\n +1 +\S+ +schedule +503 +[\d.]+ +answered 503 +http.+\n +2 +\S+ +redelivery +503 /,
    )
    expect(text).toMatch(/\nattempt 2\n {2}signature +[0-9a-f]{64}\n {2}answer +not\\x1b\[2J\\nnow\n$/)
    expect(await ok('delivery', 'show', delivery.delivery_id)).toBe(text)
    expect((await run('delivery', 'show', 'dlv_no')).err).toMatch(/^error: no such delivery .+ delivery list" shows/)
  })
})

it('delivery profile shows what is set, and sets it whole', async () => {
  const { ok, okJson } = cliAgainst(await startSandbox({ inventory: 0 }))
  await ok('delivery', 'profile', '--duplicate', '5', '--drop', '--delay', '7d')
  const late = await okJson('delivery', 'profile', '--delay', '90s')
  expect(late).toMatchObject({ duplicate: 0, drop: false, delay: '1m30s' })
  expect(await okJson('delivery', 'profile')).toEqual(late)
  await ok('delivery', 'profile', '--reset')
  expect(await ok('delivery', 'profile')).toMatch(/^duplicate +0\nreorder +no\ndelay +-\n/)
})
