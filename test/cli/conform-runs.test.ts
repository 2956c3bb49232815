import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { askingPerson } from '../../src/cli/run/ask-person.ts'
import { exitCodeOfRun } from '../../src/cli/run/reports.ts'
import type { Session } from '../../src/cli/session.ts'
import { sampleRun } from '../conformance/reporters/sample-run.ts'
import type { FakeOptions } from '../support/fake-target.ts'
import { fakeTarget, MODELS } from '../support/referee.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { cli } from './run.ts'

const FILES = MODELS.map((id) => `scenarios/${id}.yaml`)
const folder = () => tempFolder()

async function served(options: FakeOptions = {}, more: object = {}) {
  const fake = await fakeTarget(options)
  const file = join(folder(), 'target.yaml')
  const main = { name: 'main', key_id: fake.keyId, secret: fake.secret, scopes: ['search', 'buy', 'webhook'] }
  const operator = {
    actions: { advance_clock: { request: `POST ${fake.url}/ops/clock`, json: { advance_seconds: '${seconds}' } } },
  }
  writeFileSync(file, JSON.stringify({ url: fake.url, mode: 'operator', credentials: [main], operator, ...more }))
  const conform = (...rest: string[]) => cli(['conform', '--target', file, '--scenarios', ...FILES, ...rest])
  return { fake, file, conform }
}

describe('a selection', () => {
  it.each([
    [['--tag', 'signign'], '--tag: no scenario has the tag "signign"; did you mean "signing"?'],
    [['--tag', 'zzzzzzzz'], '--tag: no scenario has the tag "zzzzzzzz"; there are '],
    [['--requirement', 'NONCE-10'], '--requirement: no such requirement: "NONCE-10"; did you mean "NONCE-'],
    [['--requirement', 'XX-*'], '--requirement: no such requirement: "XX-*"'],
    [
      ['--only', 'auth/nonce-resue'],
      '--only: no scenario is called "auth/nonce-resue"; did you mean "auth/nonce-reuse"?',
    ],
    [
      ['--only', 'auth/*', 'x*'],
      '--only: no scenario is called "x*"; "npx partner-sandbox scenario list" shows them all',
    ],
    [['--profile', 'cor'], '--profile: unknown profile "cor"; did you mean "core"?'],
    [['--profile', 'zzzzzzzzz'], '--profile: unknown profile "zzzzzzzzz"; there are all, signing, core, '],
    [['--profile', 'referral'], 'no scenario matches --profile, so no check would run'],
    [['--requirement', 'BRKL-01'], 'no scenario matches --requirement, so no check would run'],
    [['--tag', 'signing', '--only', 'orders/*'], 'no scenario matches --tag and --only, so no check would run'],
    [['--fail-on', 'drfit'], 'It must be "drift"; did you mean "drift"?'],
    [['--dry-run', '--bail'], '--dry-run and --bail exclude each other: a dry run has no failures'],
    [['--i-accept-orders'], '--i-accept-orders goes with a URL; with a target file, a live key only reads'],
    [['--dry-run', '--watch'], '--dry-run and --watch exclude each other'],
    [['--ask'], '--ask needs a person at a terminal'],
    [['--budget', 'orders=1'], '--budget goes with a URL; write it into the target file'],
  ])('%j is refused in one line, and nothing is sent', async (args, message) => {
    const { fake, conform } = await served()
    const { code, err } = await conform(...args)
    expect([code, fake.requests]).toEqual([4, []])
    expect(err).toContain(message)
  })

  it('takes patterns of requirements, tags and profiles together', async () => {
    const { conform } = await served()
    const { out } = await conform('--requirement', 'NONCE-*', '--tag', 'signing', 'quotes', '--dry-run')
    expect(out).toMatch(/^Would run: 1 scenario\n {2}auth\/nonce-reuse\n/)
    expect(out).toMatch(
      /\n1 of 1 scenarios would run. They declare 0 orders, 0 quotes and 0 webhook registrations. Nothing was sent.\n$/,
    )
  })

  it('by a profile is what the verdict is about, and the reports say which', async () => {
    const { conform } = await served()
    const file = join(folder(), 'run.json')
    const { code } = await conform('--profile', 'time', '--reporter', `json=${file}`)
    expect(code).toBe(2)
    expect(readFileSync(file, 'utf8')).toContain('"time"')
  })
})

describe('a dry run', () => {
  it('tells what would run, what not and why, sends nothing, and ends with 0', async () => {
    const { fake, conform } = await served({}, { mode: 'read' })
    const file = join(folder(), 'run.json')
    const { code, out, err } = await conform('--dry-run', '--allow-unverified', '--reporter', `json=${file}`)
    expect([code, fake.requests]).toEqual([0, []])
    expect(err).toMatch(/^6 scenarios with 0 orders, 0 quotes, /)
    expect(out).toMatch(
      /^Would not run: \d+ scenarios \(read-only: the run may only read\)\n {2}.*orders\/price-mismatch/m,
    )
    expect(out).toMatch(/^Would not be shown: \d+ requirements \(read-only: the run may only read\)\n {2}.*ORD-03/m)
    const verbose = await conform('--dry-run', '--verbose')
    expect(verbose.out).toMatch(/^would not run {2}orders\/price-mismatch {2}read-only: /m)
    expect(JSON.parse(readFileSync(file, 'utf8')).verdict).toBe('void')
  })

  it('ends with 0 also if nothing would run, and with 4 if the selection has no match', async () => {
    const { conform } = await served({}, { mode: 'read' })
    const { code, out } = await conform('--dry-run', '--only', 'orders/price-mismatch')
    expect([code, out]).toEqual([0, expect.stringContaining('0 of 1 scenarios would run.')])
    const unmatched = await conform('--dry-run', '--only', 'no-such/*')
    expect([unmatched.code, unmatched.err]).toEqual([4, expect.stringContaining('no scenario is called "no-such/*"')])
  })
})

describe('a budget on the command line', () => {
  it.each([
    ['orders=x', 'It must be limits such as orders=20,quotes=20,requests=500,per_second=5'],
    ['order=1', 'Unknown limit "order"; did you mean "orders"?'],
    ['orders=1,orders=2', 'orders is given twice'],
    ['requests=0', 'requests must be 1 or more'],
  ])('of %s is refused', async (budget, message) => {
    const { code, err } = await cli(['conform', 'http://127.0.0.1:1', '--key-id', 'pk_test_1', '--budget', budget])
    expect([code, err]).toEqual([4, expect.stringContaining(message)])
  })

  it('is never exceeded', async () => {
    const fake = await fakeTarget()
    const args = ['conform', fake.url, '--key-id', fake.keyId, '--budget', 'requests=7', '--scenarios', ...FILES]
    const { out } = await cli(args, { env: { PARTNER_SECRET: fake.secret } })
    expect(fake.requests).toHaveLength(7)
    expect(out).toContain('budget: ')
  })
})

describe('known failures', () => {
  it('are written from a red run, need their reasons, and are then no news', async () => {
    const file = join(folder(), 'baseline.yaml')
    const { conform } = await served({ fault: 'price-unchecked' })
    expect((await conform('--write-baseline', file)).code).toBe(1)
    const refused = await conform('--baseline', file)
    expect(refused.code).toBe(4)
    expect(refused.err).toMatch(
      /baseline\.yaml:\d+:\d+ "reason" is empty; what belongs here: Why this is left as it is/,
    )
    fillIn(file)
    const { code, err, out } = await conform('--baseline', file, '--allow-unverified')
    expect(err).toMatch(/baseline: \d+ known failures?, as expected\n/)
    expect([code, out.includes('KNOWN FAILURES ONLY: ')]).toEqual([0, true])
    const whole = await served()
    const stale = await whole.conform('--baseline', file)
    expect([stale.code, stale.err]).toEqual([3, expect.stringContaining('passes now: remove the entry')])
  })

  it('take a reason and a last day when they are written, one entry for each requirement and way of failing', async () => {
    const file = join(folder(), 'baseline.yaml')
    const { conform } = await served({ fault: 'price-unchecked' })
    await conform('--write-baseline', file)
    // Nobody has put anything in yet.
    const written = await conform('--write-baseline', file, '--reason', 'PAY-204', '--until', '2999-12-31')
    expect(written.err).toMatch(/wrote .*: \d+ known failures?\n$/)
    expect(readFileSync(file, 'utf8')).toMatch(
      /- requirement: ORD-03\n {2}fingerprint: .*\n {2}reason: PAY-204\n {2}until: "?2999-12-31/,
    )
    expect((await conform('--baseline', file, '--allow-unverified')).code).toBe(0)
    expect((await conform('--reason', 'x')).err).toContain('--reason and --until go with --write-baseline')
    expect((await conform('--write-baseline', `${file}.2`, '--until', '2999-02-30')).err).toContain(
      '--until: it must be a day',
    )
    expect((await conform('--write-baseline', `${file}.2`, '--until', '2020-01-01')).err).toContain(
      '2020-01-01 is over',
    )
  })

  it('are never written over reasons that somebody gave', async () => {
    const file = join(folder(), 'baseline.yaml')
    writeFileSync(file, '# mine\n')
    const { fake, conform } = await served()
    const { code, err } = await conform('--write-baseline', file)
    expect([code, fake.requests, readFileSync(file, 'utf8')]).toEqual([4, [], '# mine\n'])
    expect(err).toContain('already exists; also give it as --baseline, or name another file')
  })
})

function fillIn(file: string): void {
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, text.replaceAll('reason: ""', 'reason: PAY-204').replaceAll('until: ""', 'until: "2999-12-31"'))
}

describe('the exit code', () => {
  it('is 1 for drift only where that is asked for', () => {
    const { summary, ...rest } = sampleRun()
    const none = {
      pass: 3,
      fail: 0,
      tolerated: 0,
      inconclusive: 0,
      not_run: 0,
      observed: 0,
      drift: 1,
      harness_error: 0,
    }
    const run = { ...rest, verdict: 'conforming' as const, scenarios: [], summary: { ...summary, checks: none } }
    const standards = { allowUnverified: false }
    expect(exitCodeOfRun(run, standards, null)).toBe(0)
    expect(exitCodeOfRun(run, { ...standards, failOn: ['drift'] }, null)).toBe(1)
  })
})

describe('a person who is asked', () => {
  const asking = (answers: (string | null)[]) => {
    let said = ''
    const session = {
      err: (text: string) => {
        said += text
      },
      askLine: async () => answers.shift() ?? null,
    } as unknown as Session
    return { ask: askingPerson(session, new AbortController().signal), said: () => said, left: answers }
  }

  it('reads what to do, and answers that it is done or cannot be', async () => {
    const { ask, said } = asking(['what?', ' Done ', 'cannot'])
    expect(await ask('Refund the order ord_1', 'refunds/one')).toBe(true)
    expect(said()).toContain('refunds/one asks you to refund the order ord_1\n')
    expect(await ask('x', 'y')).toBe(false)
  })

  it('is asked nothing more after skip', async () => {
    const { ask, left } = asking(['skip', 'done'])
    expect([await ask('x', 'y'), await ask('x', 'y')]).toEqual([false, false])
    expect(left).toEqual(['done'])
  })

  it('is left alone where the input ends', async () => {
    expect(await asking([null]).ask('x', 'y')).toBe(false)
  })
})
