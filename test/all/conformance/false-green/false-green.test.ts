import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { cli } from '../../../cli/run.ts'
import { type Fake, type FakeOptions, startFake } from '../../../support/fake-target.ts'
import { tempFolder } from '../../../support/temp-folder.ts'

/**
 * The twelve ways in which other referees came out green although nothing had been shown, each through the real command
 * line.
 */

const SOUND = `title: A sound read is accepted
proves: [AUTH-01]
needs: [scope.search]
steps:
  - id: sound
    call: { op: availability, query: { domain: "\${unlisted.domain}" } }
    expect: { accepted: true, shows: AUTH-01 }
`

const REFUSAL = `title: A call that is signed with the key id is refused
proves: [AUTH-05]
needs: [scope.search]
steps:
  - id: key_id_as_secret
    call: { op: availability, query: { domain: "\${unlisted.domain}" } }
    fault: { signature: { key: key_id } }
    expect: { refused: invalid_signature, shows: AUTH-05 }
`

const WRITE = `title: An order is recorded at the listing price
proves: [ORD-01]
needs: [scope.buy, fixture.sellable]
effects: { orders: 1 }
steps:
  - id: made
    call: { op: orders.create }
    expect: { accepted: true, shows: ORD-01 }
`

const STAFF = `title: An order that is held can be polled
proves: [STATE-06]
needs: [scope.search]
effects: { clock: true }
steps:
  - id: step_without_anybody
    operator: { advance_clock: 1h }
  - id: after_it
    call: { op: availability, query: { domain: "\${unlisted.domain}" } }
    expect: { accepted: true, shows: STATE-06 }
`

const OPEN = `title: How a call without its nonce is refused is recorded
proves: []
needs: [scope.search]
steps:
  - id: seen
    call: { op: availability, query: { domain: "\${unlisted.domain}" } }
    fault: { nonce: drop }
    observe: { gap: AUTH-17, take: status }
`

/** The fault changes nothing, which only shows when the call is made. */
const OUR_OWN_MISTAKE = SOUND.replace('expect:', 'fault: { canonical: query_unsorted }\n    expect:')

const fakes: Fake[] = []
afterEach(async () => {
  for (const fake of fakes.splice(0)) await fake.close()
})

async function fakeWith(options: FakeOptions = {}): Promise<Fake> {
  const fake = await startFake(options)
  fakes.push(fake)
  return fake
}

function folderOf(...texts: string[]): string {
  const folder = tempFolder()
  mkdirSync(join(folder, 'area'))
  for (const [index, text] of texts.entries()) writeFileSync(join(folder, 'area', `s${index + 1}.yaml`), text)
  return folder
}

/** `conform` against a fake, with these scenarios. */
function judged(fake: Fake, texts: string[], ...flags: string[]) {
  const args = [
    'conform',
    fake.url,
    '--key-id',
    fake.keyId,
    '--secret-env',
    'SECRET',
    '--scenarios',
    folderOf(...texts),
  ]
  return cli([...args, ...flags], { env: { SECRET: fake.secret } })
}

const asJson = (out: string) =>
  JSON.parse(out) as {
    verdict: string
    summary: { checks: Record<string, number> }
    scenarios: { verdict: string; checks: { verdict: string; reason?: string }[] }[]
  }

describe('no green', () => {
  it('1: where the selection matches nothing', async () => {
    const fake = await fakeWith()
    for (const flags of [
      ['--only', 'no/such'],
      ['--tag', 'no-such'],
    ]) {
      const { code, err } = await judged(fake, [SOUND], ...flags)
      expect(code).toBe(4)
      expect(err).toContain('no-such'.slice(0, 2))
    }
    expect(fake.requests).toEqual([])
  })

  it('2: where the configuration or the setup fails', async () => {
    const fake = await fakeWith()
    expect((await judged(fake, ['title: "open\n'])).code).toBe(4)
    expect(
      (await judged(fake, [SOUND], '--reporter', `json=${join(folderOf(SOUND), 'area', 's1.yaml', 'report.json')}`))
        .code,
    ).toBe(4)
    expect((await cli(['conform', fake.url, '--key-id', fake.keyId, '--secret-env', 'NOT_SET'])).code).toBe(4)
    expect((await cli(['conform', '--target', join(folderOf(), 'none.yaml')])).code).toBe(4)
    expect(fake.requests).toEqual([])
  })

  it('3: where a check fails, whatever else is allowed', async () => {
    const fake = await fakeWith({ fault: 'key-id-is-secret' })
    expect((await judged(fake, [SOUND, REFUSAL])).code).toBe(1)
    expect((await judged(fake, [SOUND, REFUSAL], '--allow-unverified')).code).toBe(1)
  })

  it('4: where no check was made', async () => {
    const fake = await fakeWith()
    const { code, out } = await judged(fake, [OPEN], '--reporter', 'json', '--allow-unverified')
    expect(code).toBe(2)
    expect(asJson(out)).toMatchObject({ verdict: 'not_fully_verified', summary: { checks: { pass: 0, observed: 1 } } })
  })

  it('5: where the target was never reached', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    await new Promise((resolve) => server.close(resolve))
    const args = ['conform', `http://127.0.0.1:${port}`, '--key-id', 'pk_test_1', '--secret-env', 'SECRET']
    const { code, out } = await cli([...args, '--scenarios', folderOf(SOUND)], { env: { SECRET: 'sk_test_1' } })
    expect(code).toBe(6)
    expect(out).not.toContain('pass')
  })

  it('6: where a must was left out for want of a fixture', async () => {
    const fake = await fakeWith()
    const needsSite = SOUND.replace('needs: [scope.search]', 'needs: [scope.search, fixture.live_site]')
    const { code, out } = await judged(fake, [needsSite], '--reporter', 'json')
    expect(code).toBe(2)
    expect(asJson(out).scenarios[0]?.checks).toMatchObject([{ verdict: 'not_run', reason: 'needs-fixture' }])
  })

  it('7: where a mode left checks out, which are counted and named', async () => {
    const fake = await fakeWith()
    const { code, out } = await judged(fake, [SOUND, WRITE], '--reporter', 'json')
    expect(code).toBe(2)
    expect(asJson(out).summary.checks).toMatchObject({ pass: 1, not_run: 1 })
    expect(asJson(out).scenarios[1]?.checks).toMatchObject([{ verdict: 'not_run', reason: 'read-only' }])
    expect((await judged(fake, [SOUND, WRITE])).out).toContain('ORD-01')
    expect(fake.requests.every(({ method }) => method === 'GET')).toBe(true)
  })

  it('8: where a call is refused for another reason', async () => {
    const refusing = await fakeWith({ fault: 'refuses-everything' })
    const { code, out } = await judged(refusing, [REFUSAL], '--reporter', 'json')
    // Nothing that was signed correctly is taken, so that no refusal of anything means anything.
    expect(code).not.toBe(0)
    expect(asJson(out).summary.checks.pass).toBe(0)
    const otherwise = await fakeWith({ fault: 'code-misspelled' })
    expect((await judged(otherwise, [REFUSAL])).code).toBe(1)
  })

  it('9: where a step was skipped, and what follows it with it', async () => {
    const fake = await fakeWith()
    const { code, out } = await judged(fake, [STAFF], '--reporter', 'json')
    expect(code).toBe(2)
    expect(asJson(out).summary.checks).toMatchObject({ pass: 0, not_run: 1 })
  })

  it('10: in JUnit, which has a child for each failure and each skip', async () => {
    const fake = await fakeWith({ fault: 'key-id-is-secret' })
    const file = join(folderOf(), 'report.xml')
    await judged(fake, [SOUND, REFUSAL, WRITE], '--reporter', `junit=${file}`)
    const xml = readFileSync(file, 'utf8')
    const count = (pattern: RegExp) => xml.match(pattern)?.length ?? 0
    expect(count(/<failure[ >]/g)).toBe(1)
    expect(count(/<skipped[ >/]/g)).toBe(1)
    expect(xml).toMatch(/<testsuites[^>]* failures="1"[^>]*>/)
    expect(count(/<testcase /g)).toBe(3)
  })

  it('11: where the runner itself has erred', async () => {
    const fake = await fakeWith()
    const { code, out } = await judged(fake, [SOUND, OUR_OWN_MISTAKE], '--reporter', 'json', '--allow-unverified')
    expect(code).toBe(5)
    expect(asJson(out).verdict).not.toBe('conforming')
    expect(asJson(out).summary.checks).toMatchObject({ pass: 1, harness_error: 1 })
  })

  it('12: in a dry run, which has shown nothing and sent nothing', async () => {
    const fake = await fakeWith()
    // Exit code 0 says that the plan could be made; no word of it is a verdict.
    const { code, out } = await judged(fake, [SOUND, REFUSAL], '--dry-run')
    expect(code).toBe(0)
    expect(out).not.toMatch(/\bconforming\b/i)
    expect(out).not.toMatch(/\bpass(?:ed)?\b/i)
    expect(fake.requests).toEqual([])
  })
})
