import { createHash, createHmac } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { expectRefundedOrder, exported, SCENARIO, started } from '../support/exported-scenario.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { cli } from './run.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const hmac = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex')
const filledBy = (values: ReadonlyMap<string, string>) => (text: string) =>
  text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => values.get(name) ?? `{{${name}}}`)

test('a call that was refused for its signature says that the export signs it correctly; a registration has a secret that is long enough', async () => {
  const text = readFileSync(
    join(await exported('curl', 'auth/each-write[webhooks.put]'), 'auth-each-write[webhooks.put].sh'),
    'utf8',
  )
  expect(text).toContain('# 1. altered: answered 401 in the run; here it is signed correctly')
  expect(text).toContain('a-secret-of-this-export')
  expect(text).not.toContain('[secret]')
})

test('a registration says that its address was one of the run', async () => {
  const text = readFileSync(join(await exported('http', 'webhooks/envelope'), 'webhooks-envelope.http'), 'utf8')
  const titles = text.match(/^### .* its url was .*$/gm)
  expect(titles).toEqual([expect.stringMatching(/ in the run; its url was a receiver of the run: put yours there$/)])
})

test('a scenario that runs in a copy of a world is exported for the world itself', async () => {
  const text = readFileSync(join(await exported('curl', 'events/pages-of-many'), 'events-pages-of-many.sh'), 'utf8')
  expect(text.match(/\/v1\/worlds\/[^/"]+/g)?.filter((path) => path !== '/v1/worlds/default')).toEqual([])
  expect(text).toContain('/v1/worlds/default/orders/')
})

test('the calls of a scenario run again in the HTTP Client of JetBrains: its scripts sign them', async () => {
  const sandbox = await started()
  const { keyId, secret } = sandbox.credentials.main
  const text = readFileSync(join(await exported('http'), 'idempotency-stored-answer-after-refund.http'), 'utf8')
  const values = new Map<string, string>([
    ...([
      ['url', sandbox.url],
      ['operator_url', sandbox.operatorUrl],
      ['key_id', keyId],
      ['secret', secret],
    ] as const),
  ])
  const globals = {
    get: (name: string) => values.get(name),
    set: (name: string, value: string) => values.set(name, value),
  }
  for (const block of text.split(/^### .*\n/m).slice(1)) {
    const [, script = '', call = '', after] =
      /^< \{%\n([\s\S]*?)%\}\n([\s\S]*?)(?:\n> \{%\n([\s\S]*?)%\}\n)?\s*$/.exec(block) ?? []
    const [head = '', body] = call.split(/\n\n([\s\S]*)/)
    const filled = filledBy(values)
    const context = {
      client: { global: globals },
      request: {
        body: { tryGetSubstituted: () => filled(body?.trimEnd() ?? '') },
        environment: globals,
        variables: globals,
      },
      crypto: {
        sha256: () => ({ updateWithText: (one: string) => ({ digest: () => ({ toHex: () => sha256(one) }) }) }),
        hmac: {
          sha256: () => ({
            withTextSecret: (key: string) => ({
              updateWithText: (one: string) => ({ digest: () => ({ toHex: () => hmac(key, one) }) }),
            }),
          }),
        },
      },
    }
    runInNewContext(`{${script}}`, context)
    const [line = '', ...headers] = filled(head).trim().split('\n')
    const [method = '', url = ''] = line.split(' ')
    const answer = await fetch(url, {
      method,
      headers: headers.map((one) => one.split(': ') as [string, string]),
      ...(body !== undefined && { body: filled(body.trimEnd()) }),
    })
    const json: unknown = await answer.json()
    if (after) runInNewContext(`{${after}}`, { ...context, response: { body: json } })
  }
  await expectRefundedOrder(sandbox)
})

test('the calls of a scenario run again in Bruno: its scripts sign them', async () => {
  const sandbox = await started()
  const { keyId, secret } = sandbox.credentials.main
  const folder = await exported('bruno')
  expect(JSON.parse(readFileSync(join(folder, 'bruno.json'), 'utf8'))).toMatchObject({ type: 'collection' })
  const values = new Map([
    ['url', sandbox.url],
    ['operator_url', sandbox.operatorUrl],
  ])
  const environment = new Map([
    ['key_id', keyId],
    ['secret', secret],
  ])
  for (const file of readdirSync(folder)
    .filter((name) => /^\d+\.bru$/.test(name))
    .sort()) {
    const text = readFileSync(join(folder, file), 'utf8')
    const block = (name: string) => new RegExp(`^${name} \\{\\n([\\s\\S]*?)^\\}`, 'm').exec(text)?.[1]
    const [, method = ''] = /^(get|post|put) \{$/m.exec(text) ?? []
    const lines = [...(block('headers') ?? '').matchAll(/^ {2}(.+?): (.+)$/gm)]
    const headers = new Map(lines.map(([, name = '', value = '']) => [name, value]))
    let body: string | undefined
    const context = {
      bru: {
        getVar: (name: string) => values.get(name),
        setVar: (name: string, value: string) => values.set(name, value),
        getEnvVar: (name: string) => environment.get(name),
      },
      req: {
        setBody: (one: string) => (body = one),
        setHeader: (name: string, value: string) => headers.set(name, value),
      },
      require: () => ({ SHA256: sha256, HmacSHA256: (one: string, key: string) => hmac(key, one) }),
    }
    runInNewContext(`{${block('script:pre-request')}}`, context)
    const filled = filledBy(values)
    const url = filled(/^ {2}url: (.+)$/m.exec(text)?.[1] ?? '')
    if (text.includes('body: json')) headers.set('content-type', 'application/json')
    const sent = [...headers].map(([name, value]): [string, string] => [name, filled(value)])
    const answer = await fetch(url, {
      method: method.toUpperCase(),
      headers: sent,
      ...(body !== undefined && { body }),
    })
    const after = block('script:post-response')
    const json: unknown = await answer.json()
    if (after) runInNewContext(`{${after}}`, { ...context, res: { body: json } })
  }
  await expectRefundedOrder(sandbox)
})

test("a scenario of one's own is exported by its file", async () => {
  const file = join(tempFolder(), 'mine', 'a.yaml')
  mkdirSync(dirname(file))
  const call = 'call: { op: domains.search, query: { q: solar } }, expect: { accepted: true, shows: AUTH-01 }'
  writeFileSync(file, `title: A search is accepted\nproves: [AUTH-01]\nsteps: [{ id: found, ${call} }]\n`)
  const { code, out } = await cli(['scenario', 'export', file])
  expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('domains/search?q=solar') })
  expect(await cli(['scenario', 'export', 'mine/a', dirname(dirname(file))])).toEqual({ code: 0, err: '', out })
})

test('an unknown scenario is refused with the nearest one, and Bruno needs a folder', async () => {
  expect((await cli(['scenario', 'export', 'idempotency/same-key-same-bdy'])).err).toBe(
    'error: no such scenario: "idempotency/same-key-same-bdy"; did you mean "idempotency/same-key-same-body"?\n',
  )
  expect((await cli(['scenario', 'export', 'zzz'])).err).toBe(
    'error: no such scenario: "zzz"; "partner-sandbox scenario list" shows them all\n',
  )
  expect((await cli(['scenario', 'export', 'auth/each-head'])).err).toMatch(
    /^error: auth\/each-head has \d+ rows; name one of them, such as "auth\/each-head\[[a-z.]+\]"\n$/,
  )
  expect((await cli(['scenario', 'export', SCENARIO, '--format', 'bruno'])).err).toBe(
    'error: --out: required, because a collection of Bruno has several files\n',
  )
})
