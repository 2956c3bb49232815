import { expect, test } from 'vitest'
import { register } from '../support/hooks.ts'
import { startReceiver } from '../support/receiver.ts'
import { startSandbox, type TestSandbox } from '../support/sandbox.ts'
import { type CliOutcome, cli } from './run.ts'

/** A tail that runs until it has written so many lines and then gets its Ctrl-C. */
async function follow(
  sandbox: TestSandbox,
  args: string[],
  lines: number,
  act: () => Promise<unknown>,
): Promise<CliOutcome> {
  const stop = new AbortController()
  let begun: () => void = () => {}
  const began = new Promise<void>((resolve) => {
    begun = resolve
  })
  let written = 0
  const outcome = cli(args, {
    env: { PARTNER_SANDBOX_URL: sandbox.operator?.url ?? '' },
    stop: stop.signal,
    onOut(text) {
      begun()
      written += text.split('\n').length - 1
      if (written >= lines) stop.abort()
    },
  })
  await began
  await act()
  return outcome
}

/** Something that a tail with `--after` tells at once, so that a test knows that it listens. */
async function firstEvent(sandbox: TestSandbox): Promise<string> {
  await sandbox.sell()
  await sandbox.sell()
  return (await sandbox.operate('GET', '/v1/worlds/default/events')).json.events[0].id
}

test('event tail tells what came after an event and then what happens, until Ctrl-C, and ends with 0', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const after = await firstEvent(sandbox)
  const { code, out, err } = await follow(sandbox, ['event', 'tail', '--after', after], 3, async () => {
    await sandbox.sell()
    await sandbox.sell()
  })
  expect([code, err]).toEqual([0, ''])
  const lines = out.trim().split('\n')
  expect(lines).toHaveLength(3)
  for (const line of lines) {
    expect(line).toMatch(/^\S+Z {2}order\.recorded +evt_\w+ +ord_\w+ +stalls-\d\.test +EXTERNALLY_PAID +ptr_\w+$/)
  }
  const columns = lines.map((line) => line.indexOf('EXTERNALLY_PAID'))
  expect(new Set(columns).size).toBe(1)
})

test('with --json each line is the event as the list shows it, narrowed by what the options say', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const after = await firstEvent(sandbox)
  const args = ['event', 'tail', '--json', '--after', after, '--type', 'order.recorded']
  const { out } = await follow(sandbox, args, 2, () => sandbox.sell())
  const { json } = await sandbox.operate('GET', '/v1/worlds/default/events')
  expect(
    out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual(json.events.slice(1))
})

test('request tail shows calls of a class of statuses, and says below a refused signature what was wrong', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  let calling = true
  const calls = async () => {
    while (calling) {
      await sandbox.call({ path: '/availability?domain=stalls-1.test' })
      await sandbox.call({ path: '/availability?domain=stalls-1.test', signs: { secret: 'another-secret-altogether' } })
    }
  }
  const running = calls()
  const { code, out } = await follow(sandbox, ['request', 'tail', '--status', '4xx'], 3, async () => {})
  calling = false
  await running
  expect(code).toBe(0)
  const told = out.split('\n').filter((line) => line.startsWith('20'))
  for (const line of told)
    expect(line).toMatch(
      /^\S+Z {2}401 {2}GET +\/api\/partner\/v1\/availability\?\S+ +invalid_signature +main +req_\w+$/,
    )
  const notes = out.split('\n').filter((line) => line.startsWith('    '))
  expect(notes.length).toBeGreaterThan(0)
  expect(notes[0]!.trim().length).toBeGreaterThan(10)
})

test('delivery tail shows each attempt as it is made', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const hook = await startReceiver()
  await register(sandbox, hook.url)
  let selling = true
  const sales = async () => {
    while (selling) await sandbox.sell()
  }
  const running = sales()
  const { code, out } = await follow(sandbox, ['delivery', 'tail'], 2, async () => {})
  selling = false
  await running
  expect(code).toBe(0)
  for (const line of out.trim().split('\n')) {
    expect(line).toMatch(/^\S+Z +dlv_\w+ +attempt 1 +answered 200 +delivered +order\.recorded +evt_\w+ +ptr_\w+$/)
  }
})

test('what is wrong of a filter is refused before anything is asked', async () => {
  const { code, err } = await cli(['request', 'tail', '--status', '4x'], {
    env: { PARTNER_SANDBOX_URL: 'http://127.0.0.1:9' },
  })
  expect([code, err]).toEqual([4, 'error: --status must be a status such as 401 or a class such as 4xx, not "4x"\n'])
})

test('a sandbox that is not there, a world that is not there and an event that is not there are named', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const env = { PARTNER_SANDBOX_URL: sandbox.operator?.url ?? '' }
  expect(await cli(['event', 'tail', '--world', 'nowhere'], { env })).toMatchObject({
    code: 1,
    err: 'error: no such world: "nowhere"; there is default\n',
  })
  expect(await cli(['event', 'tail', '--after', 'evt_1'], { env })).toMatchObject({
    code: 4,
    err: 'error: after is not an event of this world\n',
  })
  await sandbox.close()
  expect((await cli(['event', 'tail'], { env })).code).toBe(6)
})

test('a tail ends with a message when its world is deleted, and another when its sandbox has gone', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const env = { PARTNER_SANDBOX_URL: sandbox.operator?.url ?? '' }
  await sandbox.operate('POST', '/v1/worlds', { name: 'brief', inventory: 0 })
  const ofWorld = cli(['delivery', 'tail', '--world', 'brief'], { env })
  const after = await firstEvent(sandbox)
  await follow(sandbox, ['event', 'tail', '--after', after], 1, async () => {})
  await sandbox.operate('DELETE', '/v1/worlds/brief')
  expect(await ofWorld).toMatchObject({ code: 1, err: 'error: the world brief has been deleted\n' })
  let gone: Promise<unknown> = Promise.resolve()
  const { operator } = sandbox
  const ofSandbox = await cli(['event', 'tail', '--after', after], {
    env,
    onOut() {
      gone = sandbox.close()
    },
  })
  await gone
  expect([ofSandbox.code, ofSandbox.err]).toEqual([6, `error: the sandbox at ${operator?.url} has stopped\n`])
})

test('with --json nothing in what a caller sent acts on the terminal, and a parser reads the same', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const name = 'a\u0085\u009b31m\u202eb\u2066'
  const { headers } = await sandbox.call({ method: 'POST', path: '/quotes', body: { domain: name } })
  const env = { PARTNER_SANDBOX_URL: sandbox.operator?.url ?? '' }
  const { code, out } = await cli(['request', 'show', String(headers['x-request-id']), '--json'], { env })
  expect([code, /[\u0080-\u009f\u202a-\u202e\u2066-\u2069]/.test(out)]).toEqual([0, false])
  expect(JSON.parse(out).request.body).toBe(JSON.stringify({ domain: name }))
})
