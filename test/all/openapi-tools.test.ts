import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { DEFAULT_GAPS } from '../../src/contract/choices.ts'
import { ENDPOINT_IDS, type EndpointId } from '../../src/contract/endpoint-ids.ts'
import { ENDPOINTS } from '../../src/contract/endpoints.ts'
import { openApiDocument } from '../../src/sandbox/openapi/document.ts'
import { refusalsOf } from '../../src/sandbox/openapi/refusals.ts'
import { installOpenApiTools, startBehind, startPrism, violationsOf } from '../support/openapi-tools.ts'
import { callOf, livedIn, refusedSteps, type Step } from '../support/openapi-walk.ts'
import { documentedAnswers } from '../support/report-unseen.ts'
import { startSandbox } from '../support/sandbox.ts'
import { tempFolderOfFile } from '../support/temp-folder.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
const docs = readFileSync(join(root, 'docs/api.md'), 'utf8')
const folder = tempFolderOfFile()

beforeAll(async () => {
  await installOpenApiTools(folder)
  symlinkSync(root, join(folder, 'node_modules/partner-sandbox'))
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(openApiDocument()))
})

/** A sale from search to detail, and what is refused about it, with the client of openapi-fetch. */
const WITH_OPENAPI_FETCH = `
import { client } from './client.js'

const search = await client.GET('/api/partner/v1/domains/search', { params: { query: { q: 'solar' } } })
const domain = search.data?.domains[0]?.domain ?? ''
const quote = await client.POST('/api/partner/v1/quotes', { body: { domain } })
if (!quote.data) throw new Error(quote.error.message)
const { price_cents: expected_price, currency, quote_id } = quote.data
const buyer = { email: 'buyer@example.com', name: 'Zoë Käufer' }
const body = { domain, expected_price, currency, quote_id, buyer }
const order = async (sale: typeof body) =>
  client.POST('/api/partner/v1/orders', { params: { header: { 'Idempotency-Key': 'sale-1' } }, body: sale })
const first = await order(body)
const again = await order(body)
const changed = await order({ ...body, buyer: { ...buyer, name: 'Another' } })
const read = (public_id: string) =>
  client.GET('/api/partner/v1/orders/{public_id}', { params: { path: { public_id } } })
const detail = await read(first.data?.public_id ?? '')
const nothing = await read('ord_0')
`

/** The same with the client of @hey-api/openapi-ts. */
const WITH_HEY_API = `
import { domainsSearch, ordersCreate, ordersDetail, quotesCreate } from './client.js'

const search = await domainsSearch({ query: { q: 'solar' } })
const domain = search.data?.domains[0]?.domain ?? ''
const quote = await quotesCreate({ body: { domain } })
if (!quote.data) throw new Error(quote.error.message)
const { price_cents: expected_price, currency, quote_id } = quote.data
const buyer = { email: 'buyer@example.com', name: 'Zoë Käufer' }
const body = { domain, expected_price, currency, quote_id, buyer }
const order = (sale: typeof body) => ordersCreate({ headers: { 'Idempotency-Key': 'sale-1' }, body: sale })
const first = await order(body)
const again = await order(body)
const changed = await order({ ...body, buyer: { ...buyer, name: 'Another' } })
const read = (public_id: string) => ordersDetail({ path: { public_id } })
const detail = await read(first.data?.public_id ?? '')
const nothing = await read('ord_0')
`

/** What is compiled with either: a code that an operation does not have is a mistake of the program. */
const REFUSALS = `
// @ts-expect-error no operation has such a code
if (changed.error?.code === 'conflicts') throw new Error()
// @ts-expect-error to read needs no key
if (nothing.error?.code === 'missing_idempotency_key') throw new Error()
const codes: ('conflict' | 'not_found' | undefined)[] = []
if (changed.error?.code === 'conflict') codes.push(changed.error.code)
if (nothing.error?.code === 'not_found') codes.push(nothing.error.code)
const isReplayed = again.response?.headers.get('Idempotent-Replayed') === 'true'
console.log(JSON.stringify({ domain, detail: detail.data, first: first.data, again: again.data, isReplayed, codes }))
`

describe('a validating proxy', () => {
  it('finds nothing against any answer of the 26 endpoints, and something as soon as one is changed', async () => {
    const sandbox = await startSandbox()
    const about = await livedIn(sandbox)
    const behind = await startBehind(sandbox.url)
    const via = await startPrism(folder, behind.url)
    const seen = new Set<string>()

    async function walk(id: EndpointId, { status, misfit, ...call }: Step): Promise<void> {
      const said = `${id} ${status}`
      const answer = await sandbox.call({ ...call, via, undocumented: true })
      expect([said, answer.status]).toEqual([said, status])
      const found = violationsOf(answer)
      expect([said, found.filter(({ location }) => location[0] !== 'request' || !misfit)]).toEqual([said, []])
      expect([said, found.length > 0]).toEqual([said, misfit === true])
      const another = status < 400 ? { more: 1 } : { code: status === 404 ? 'conflict' : 'not_found' }
      behind.change = (body) => ({ ...body, ...another })
      const changed = violationsOf(await sandbox.call({ ...call, via, undocumented: true }))
      behind.change = null
      expect([said, changed.some(({ location }) => location[0] === 'response')]).toEqual([said, true])
      seen.add(said)
    }

    for (const id of ENDPOINT_IDS) {
      for (const step of refusedSteps(id, about)) await walk(id, step)
      for (const [status, codes] of refusalsOf(id, DEFAULT_GAPS)) {
        if (seen.has(`${id} ${status}`)) continue
        const fault = { match: { endpoint: id }, effect: { code: codes[0] }, times: 1 }
        expect((await sandbox.operate('POST', '/v1/worlds/default/faults', fault)).status).toBe(201)
        await walk(id, { ...callOf(id, about.fresh), status })
      }
      const status = ENDPOINTS[id].method === 'POST' ? 201 : 200
      await walk(id, { ...callOf(id, id === 'orders.create' ? about.toSell : about.fresh), status })
    }
    expect([...seen].sort()).toEqual(documentedAnswers().sort())
  })
})

describe('a generated client', () => {
  const [signing = '', ...clients] = docs
    .split('```ts\n')
    .slice(1)
    .map((text) => text.split('```')[0] as string)
  const commands = [...docs.matchAll(/`npx (\S*openapi-t\S+ [^`]+)`/g)].map(([, words = '']) => words.split(' '))

  it.each([
    ['openapi-typescript and openapi-fetch', 0, WITH_OPENAPI_FETCH, { exactOptionalPropertyTypes: true }],
    // Its own files, not those it makes of a document, do not compile with exactOptionalPropertyTypes:
    // https://github.com/hey-api/openapi-ts/issues/2236
    ['@hey-api/openapi-ts', 1, WITH_HEY_API, {}],
  ])('of %s compiles strictly and sells a domain, as docs/api.md says', async (_name, index, sale, stricter) => {
    const project = join(folder, `client-${index}`)
    const tsconfig = {
      extends: '../tsconfig.json',
      compilerOptions: { ...stricter, outDir: 'out' },
      files: ['sale.ts'],
    }
    const files = {
      'openapi.json': JSON.stringify(openApiDocument()),
      'tsconfig.json': JSON.stringify(tsconfig),
      'signing.ts': signing,
      'client.ts': clients[index] as string,
      'sale.ts': sale + REFUSALS,
    }
    mkdirSync(project)
    for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text)
    await run('npx', ['--no-install', ...(commands[index] as string[])], { cwd: project })
    const compiled = run(process.execPath, ['../node_modules/typescript/bin/tsc', '-p', '.'], { cwd: project })
    expect(await compiled.catch(({ stdout }) => stdout)).toEqual({ stdout: '', stderr: '' })

    const sandbox = await startSandbox()
    const { key_id, secret } = sandbox.credentials[0] as { key_id: string; secret: string }
    const env = { ...process.env, PARTNER_URL: sandbox.url, PARTNER_KEY_ID: key_id, PARTNER_SECRET: secret }
    const { stdout } = await run(process.execPath, ['out/sale.js'], { cwd: project, env })
    const said = JSON.parse(stdout)
    const { orders } = (await sandbox.call({ path: '/orders' })).json
    expect(orders).toEqual([said.detail])
    expect(said.detail).toMatchObject({ domain: said.domain, buyer: { name: 'Zoë Käufer' } })
    expect(said).toMatchObject({
      first: said.detail,
      again: said.detail,
      isReplayed: true,
      codes: ['conflict', 'not_found'],
    })
  })
})

/** A month of sales by the operator API, and what does not compile. */
const OF_THE_OPERATOR = `
import createClient from 'openapi-fetch'
import type { components, paths } from './operator-api.js'

const client = createClient<paths>({ baseUrl: process.env['OPERATOR_URL'] ?? '' })
const params = { path: { w: 'default' } }
const seeded = await client.POST('/v1/worlds/{w}/seed', { params, body: { orders: 8 } })
const held = await client.GET('/v1/worlds/{w}/orders', { params: { ...params, query: { status: 'MANUAL_REVIEW' } } })
const refused = await client.GET('/v1/worlds/{w}/orders/{public_id}', { params: { path: { w: 'default', public_id: 'ord_0' } } })
const [order] = held.data?.orders ?? []
const first: components['schemas']['OrderState'] | undefined = order?.timeline[0]?.status
const later = order?.timeline.at(-1)?.status
const email: string | undefined = order?.buyer.email
const cents: number = (order?.sale_price_cents ?? 0) + (order?.commission_cents ?? 0)
const next: string | null | undefined = held.data?.next_cursor
// @ts-expect-error no order is in such a state
const isWrong = later === 'HELD'
// @ts-expect-error an order has no such member
const unknown: unknown = order?.price
const code = refused.error?.code
const isMissing = code === 'no_order'
// @ts-expect-error no refusal has such a code
const isOther = code === 'no_such_order'
// @ts-expect-error a number of orders
await client.POST('/v1/worlds/{w}/seed', { params, body: { orders: 'eight' } })
// @ts-expect-error no such state
await client.GET('/v1/worlds/{w}/orders', { params: { ...params, query: { status: 'HELD' } } })
const read = { first, later, email, cents, next, isWrong, unknown, isMissing, isOther }
console.log(JSON.stringify({ seeded: seeded.data, held: held.data, refused: refused.error?.detail, read }))
`

it('a client of openapi-typescript for the operator API compiles strictly and seeds a world', async () => {
  const project = join(folder, 'operator-client')
  const tsconfig = {
    extends: '../tsconfig.json',
    compilerOptions: { exactOptionalPropertyTypes: true, outDir: 'out' },
    files: ['seed.ts'],
  }
  mkdirSync(project)
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(tsconfig))
  writeFileSync(join(project, 'seed.ts'), OF_THE_OPERATOR)
  const document = join(root, 'docs/operator-openapi.json')
  await run('npx', ['--no-install', 'openapi-typescript', document, '--output', 'operator-api.ts'], { cwd: project })
  const compiled = run(process.execPath, ['../node_modules/typescript/bin/tsc', '-p', '.'], { cwd: project })
  expect(await compiled.catch(({ stdout }) => stdout)).toEqual({ stdout: '', stderr: '' })

  const sandbox = await startSandbox()
  const env = { ...process.env, OPERATOR_URL: sandbox.operator?.url }
  const { stdout } = await run(process.execPath, ['out/seed.js'], { cwd: project, env })
  const said = JSON.parse(stdout)
  expect(said.seeded.made.orders).toBe(8)
  expect(said.held.orders).toHaveLength(said.seeded.orders.MANUAL_REVIEW)
  expect(said.refused).toBe('no such order in this world')
  const { timeline, buyer, sale_price_cents, commission_cents } = said.held.orders[0]
  expect(said.read).toMatchObject({
    first: timeline[0].status,
    later: 'MANUAL_REVIEW',
    email: buyer.email,
    cents: sale_price_cents + commission_cents,
    isMissing: true,
  })
})
