import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { loadScenarios } from '../../src/conformance/format/load-scenarios.ts'
import { loadRequirements } from '../../src/conformance/format/requirements.ts'
import { needsOf } from '../../src/conformance/format/step-facts.ts'
import { anyCharacter } from '../support/any-character.ts'
import { startSandbox, type TestSandbox } from '../support/sandbox.ts'
import { size } from '../support/size.ts'
import { expectGreen, recorded } from './recorded.ts'
import { cli } from './run.ts'

/** Parts of what a partner may have sent that mean something in a scenario, in YAML or in a shell. */
const PARTS = [
  ...['${', '$${', '$', '{', '}', '${credential.secret}', '${receiver.secret}', '${uuid}', '${now}', '${env:HOME}'],
  ...[
    '${sellable.domain}',
    '$${x}',
    '${',
    ': ',
    '# ',
    '- ',
    '\n',
    '\r\n',
    '\t',
    '\u0085',
    '\u2028',
    '\ufeff',
    '&a',
    '*a',
    '!!str',
  ],
  ...["'", '"', '\\', '|', '>', '%', '@', '`', '~', 'null', 'yes', '1e3', '0x1f', '<<', '---', '...', ' '],
]

const TEXT = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...PARTS) },
      { weight: 1, arbitrary: fc.string({ unit: anyCharacter }) },
    ),
  )
  .map((parts) => parts.join(''))
  .filter((text) => !/\p{Cs}/u.test(text))

interface Logged {
  target: string
  request: { body: string; headers: [string, string][] }
}

/** An order that is refused, because most of it is missing. */
const orderOf = (name: string) => ({ buyer: { name } })

/** How many of the texts are sent in bodies that are no JSON, too. */
const MALFORMED = size(8, 40)

/** What has arrived at a sandbox. */
async function arrived(sandbox: TestSandbox): Promise<Logged[]> {
  const list = await sandbox.operate('GET', '/v1/worlds/default/requests?limit=1000')
  const ids = list.json.requests.map(({ request_id }: { request_id: string }) => request_id)
  return Promise.all(
    ids.map(async (id: string) => (await sandbox.operate('GET', `/v1/worlds/default/requests/${id}`)).json),
  )
}

function targetFile(folder: string, { url, operator, credentials }: TestSandbox): string {
  const main = credentials.find(({ name }) => name === 'main')
  const file = join(folder, 'target.json')
  const credential = {
    name: 'main',
    key_id: main?.key_id,
    secret: '$' + '{env:KEY}',
    scopes: main?.scopes,
    partner: 'a',
  }
  const target = {
    ...{
      url,
      mode: 'operator',
      budget: { orders: 500, quotes: 500, requests: 5_000 },
      operator: { url: operator?.url },
    },
    credentials: [{ ...credential, affiliate: true, merchant_of_record: true }],
  }
  writeFileSync(file, JSON.stringify(target))
  return file
}

it('writes what a partner sent as literals: the same text arrives when the recording runs', {
  timeout: 120_000,
}, async () => {
  const sandbox = await startSandbox()
  const texts = [...PARTS, ...fc.sample(TEXT, { numRuns: size(10, 90), seed: 11 })].filter((text) => text.trim() !== '')
  const bodies = texts.map((text) => `{"note": ${JSON.stringify(text)} `)
  for (const text of texts) {
    await sandbox.call({ path: `/domains/search?q=${encodeURIComponent(text)}` })
    await sandbox.call({ method: 'POST', path: '/orders', key: randomUUID(), body: orderOf(text) })
  }
  for (const body of bodies.slice(0, MALFORMED)) await sandbox.call({ method: 'POST', path: '/quotes', body })
  await sandbox.call({ method: 'POST', path: '/quotes', body: '{"domain":"\\ud800"}' })

  const { file, err } = await recorded(sandbox)
  expect(err).toBe('')
  expect(loadScenarios(file, loadRequirements()).problems).toEqual([])
  const other = await startSandbox()
  const main = other.credentials.find(({ name }) => name === 'main')
  const args = ['conform', '--target', targetFile(dirname(file), other), '--scenarios', file, '--allow-unverified']
  const run = await cli(args, { env: { KEY: main?.secret ?? '' } })
  expect({ code: run.code, out: run.code === 0 ? '' : run.out }).toEqual({ code: 0, out: '' })

  const calls = await arrived(other)
  const questions = calls.map(({ target }) => new URLSearchParams(target.split('?')[1] ?? '').get('q'))
  const sent = calls.map(({ request }) => request.body)
  expect(questions).toEqual(expect.arrayContaining(texts))
  expect(sent).toEqual(expect.arrayContaining(texts.map((text) => JSON.stringify(orderOf(text)))))
  expect(sent).toEqual(expect.arrayContaining([...bodies.slice(0, MALFORMED), '{"domain":"\\ud800"}']))
  expect(JSON.stringify(calls)).not.toContain(main?.secret)
})

it('keeps what is no domain name, because an unlisted one would be refused otherwise', async () => {
  const sandbox = await startSandbox()
  const domains = ['no name', '$' + '{credential.secret}', 'a_b.test']
  for (const domain of domains) await sandbox.call({ method: 'POST', path: '/quotes', body: { domain } })
  await sandbox.call({ path: '/pricing?domain=no%20name' })
  await sandbox.call({ path: '/pricing?domain=never-listed.test' })
  const { file, scenario } = await recorded(sandbox)
  expect(needsOf(scenario)).toContain('fixture.unlisted')
  expect(JSON.stringify(scenario.steps).match(/unlisted\.domain/g)).toHaveLength(1)
  await expectGreen(file)
})

it('leaves out a call whose text looks like a place to fill in, and says so', async () => {
  const sandbox = await startSandbox()
  await sandbox.call({ path: '/domains/search?q=TODO' })
  await sandbox.call({ path: '/pricing' })
  const { err, scenario } = await recorded(sandbox)
  expect(err).toMatch(/^left out: GET .*\/domains\/search .*: a text in it begins with TODO/)
  expect(scenario.steps).toHaveLength(1)
})
