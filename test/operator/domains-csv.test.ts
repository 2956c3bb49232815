import { request } from 'node:http'
import { expect, test } from 'vitest'
import { sandboxOfFile, startSandbox, type TestSandbox } from '../support/sandbox.ts'

/** For what is refused, or only read. */
const shared = sandboxOfFile({ inventory: 0 })

const DOMAINS = '/v1/worlds/default/domains'

function send(sandbox: TestSandbox, csv: string | Uint8Array, type = 'text/csv') {
  const { hostname, port } = new URL(sandbox.operator?.url as string)
  return new Promise<{ status: number; json: Record<string, unknown> }>((resolve, reject) => {
    const headers = { 'content-type': type }
    const outgoing = request({ hostname, port, method: 'POST', path: DOMAINS, headers, agent: false }, (incoming) => {
      let text = ''
      incoming.on('data', (chunk: Buffer) => {
        text += chunk.toString('utf8')
      })
      incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, json: JSON.parse(text) }))
    })
    outgoing.on('error', reject)
    outgoing.end(csv)
  })
}

async function names(sandbox: TestSandbox): Promise<string[]> {
  const { json } = await sandbox.operate('GET', `${DOMAINS}?limit=1000`)
  return json.domains.map(({ domain }: { domain: string }) => domain)
}

const one = async (sandbox: TestSandbox, name: string) => (await sandbox.operate('GET', `${DOMAINS}/${name}`)).json

test('a CSV file adds listings as JSON does; what a cell leaves empty is as usual', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  const csv = [
    'domain,price_cents,floor_price_cents,currency,listed,live_site,topics',
    'plain.test,1000,,,,,',
    'whole.test,90000,80000,USD,false,true,tea;green tea',
    '',
  ].join('\n')
  expect(await send(sandbox, csv)).toEqual({ status: 201, json: { added: 2 } })
  const standing = { status: 'available', sold_by: null, reserved_by: null }
  const usual = { floor_price_cents: 1_000, currency: 'USD', listed: true, live_site: false, topics: [], ...standing }
  expect(await one(sandbox, 'plain.test')).toEqual({ domain: 'plain.test', price_cents: 1_000, ...usual })
  expect(await one(sandbox, 'whole.test')).toEqual({
    domain: 'whole.test',
    price_cents: 90_000,
    floor_price_cents: 80_000,
    currency: 'USD',
    listed: false,
    live_site: true,
    topics: ['tea', 'green-tea'],
    ...standing,
    status: 'unlisted',
  })
  expect((await sandbox.call({ path: '/availability?domain=plain.test' })).json).toMatchObject({ available: true })
  expect((await sandbox.call({ path: '/domains/search?q=plain' })).json.domains).toHaveLength(1)
})

test.each([
  ['CRLF', 'domain,price_cents\r\na.test,100\r\nb.test,200\r\n'],
  ['no end of line at the end', 'domain,price_cents\na.test,100\nb.test,200'],
  ['a byte order mark', '\ufeffdomain,price_cents\na.test,100\nb.test,200\n'],
  ['quoted cells', '"domain","price_cents"\n"a.test","100"\n"b.test",200\n'],
  ['a quote and a comma in a topic cell', 'price_cents,domain,topics\n100,a.test,"tea;mate"\n200,b.test,\n'],
  ['empty lines', 'domain,price_cents\n\na.test,100\r\n\r\nb.test,200\n\n'],
  ['other spellings of a name', 'domain,price_cents\nA.TEST.,100\nb.Test,200\n'],
])('reads a file with %s', async (_what, csv) => {
  const sandbox = await startSandbox({ inventory: 0 })
  expect(await send(sandbox, csv)).toEqual({ status: 201, json: { added: 2 } })
  expect(await names(sandbox)).toEqual(['a.test', 'b.test'])
})

test.each([
  ['', 'the file is empty; its first line names the columns: domain, price_cents'],
  ['domain,price_cents\n', 'no listing below'],
  ['domain,price\na.test,1\n', 'line 1: unknown column "price"; did you mean "price_cents"?'],
  ['domain,price_cent\na.test,1\n', 'line 1: unknown column "price_cent"; did you mean "price_cents"?'],
  ['domain,price_cents,\na.test,1,\n', 'line 1: unknown column ""'],
  ['domain, price_cents\na.test,1\n', 'line 1: unknown column " price_cents"'],
  ['domain;price_cents\na.test;1\n', 'unknown column "domain;price_cents"; columns are separated by commas'],
  ['domain,domain,price_cents\na.test,a.test,1\n', 'line 1: the column domain is there more than once'],
  ['domain\na.test\n', 'line 1: the column price_cents is missing'],
  ['domain,price_cents\na.test,1,2\n', 'line 2: it has 3 cells, and the first line names 2 columns'],
  ['domain,price_cents\na.test\n', 'line 2: it has 1 cells'],
  ['domain,price_cents\na.test,\n', 'line 2: price_cents is required'],
  ['domain,price_cents\na.test,9.50\n', 'line 2: price_cents must be an integer, not "9.50"'],
  ['domain,price_cents\na.test,1e3\n', 'line 2: price_cents must be an integer'],
  ['domain,price_cents\na.test, 5\n', 'line 2: price_cents must be an integer'],
  ['domain,price_cents\na.test,-5\n', 'line 2: price_cents must be at least 1'],
  ['domain,price_cents\n=cmd(),5\n', 'line 2: domain must be a domain name, not "=cmd()"'],
  ['domain,price_cents,listed\na.test,5,yes\n', 'line 2: listed must be a boolean, not "yes"'],
  ['domain,price_cents,topics\na.test,5,tea;;mate\n', 'line 2: topics.1'],
  ['domain,price_cents\na.test,5\nb.example,5\n', 'line 3: domain must end with .test'],
  ['domain,price_cents,floor_price_cents\na.test,5,6\n', 'line 2: floor_price_cents must be'],
  ['domain,price_cents\n"a.test,5\n', 'line 2: not valid CSV'],
  ['domain,price_cents\n"a".test,5\n', 'line 2: not valid CSV'],
  ['domain,price_cents\na"b.test,5\n', 'line 2: not valid CSV'],
  ['domain,price_cents\ra.test,5\r', 'line 1: not valid CSV'],
  ['domain,price_cents\n"a\nb.test",5\nc.test,x\n', 'line 4: price_cents'],
  [Buffer.from([0x64, 0xff, 0xfe]), 'the file is not UTF-8'],
  [`domain,price_cents\n${'x,y\n'.repeat(10_001)}`, 'more than 10000 listings'],
])('refuses %j whole, with the line', async (csv, says) => {
  const sandbox = shared
  const refused = await send(sandbox, csv)
  expect([refused.status, refused.json['detail']]).toEqual([400, expect.stringContaining(says)])
  expect(await names(sandbox)).toEqual([])
})

test('a name that is listed already, in the inventory or further up, is a conflict, and nothing is added', async () => {
  const sandbox = await startSandbox({ inventory: 0 })
  await send(sandbox, 'domain,price_cents\nthere.test,5\n')
  const twice = await send(sandbox, 'domain,price_cents\nnew.test,5\nthere.test,5\n')
  expect([twice.status, twice.json['detail']]).toEqual([409, 'line 3: there.test is listed already'])
  const within = await send(sandbox, 'domain,price_cents\nnew.test,5\nNEW.test,5\n')
  expect([within.status, within.json['detail']]).toEqual([409, 'line 3: new.test is listed already'])
  expect(await names(sandbox)).toEqual(['there.test'])
})

test('many mistakes are told ten at a time', async () => {
  const sandbox = shared
  const { json } = await send(sandbox, `domain,price_cents\n${'a.test,x\n'.repeat(12)}`)
  expect(json['detail']).toMatch(/^line 2: .*; line 11: .*; and 2 more lines$/)
})

test('a cell of quotes without end is refused', async () => {
  const sandbox = shared
  // A reader that looked back at each quote would take longer than any test may.
  expect((await send(sandbox, `domain,price_cents\n"${'""'.repeat(900_000)}`)).status).toBe(400)
})

test('a file over 2 MiB is refused, and so is CSV where JSON alone is taken', async () => {
  const sandbox = shared
  expect((await send(sandbox, Buffer.alloc(2 * 1024 * 1024 + 1, 0x61))).status).toBe(413)
  expect((await send(sandbox, 'domain,price_cents\na.test,5\n', 'text/plain')).status).toBe(415)
})
