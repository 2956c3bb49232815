import { expect, it } from 'vitest'
import {
  type OpenSession,
  openCheckout,
  openSession,
  type PageAnswer,
  payment,
  submit,
  visit,
} from '../../support/checkout.ts'
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts'
import { size } from '../../support/size.ts'

const WORLD = '/v1/worlds/default'

function pageOf(sandbox: TestSandbox, token: string): string {
  return `${sandbox.url}/checkout?pt=${encodeURIComponent(token)}`
}

function tokenOf(session: OpenSession): string {
  return new URL(session.checkout_url).searchParams.get('pt') as string
}

function expectNothing({ status, text }: PageAnswer, session: OpenSession, what: string): void {
  expect(status, what).toBe(404)
  expect(text, what).toContain('The link is not valid.')
  expect(text, what).not.toContain(session.domain)
  expect(text, what).not.toContain(session.session_id)
}

/** Other characters of the same alphabet, one that differs in its lowest bit among them, and one of no alphabet. */
function othersFor(character: string): string[] {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const place = alphabet.indexOf(character)
  if (place === -1) return ['A', '-', '=']
  return [alphabet[place ^ 1]!, alphabet[(place + 17) % 64]!, '.']
}

it('opens nothing with a token that is altered in any one character, and pays nothing (CHK-02, J1)', async () => {
  const { sandbox, session } = await openCheckout()
  const token = tokenOf(session)
  for (let i = 0; i < token.length; i += size(7, 1)) {
    const urls = othersFor(token[i]!).map((other) => pageOf(sandbox, token.slice(0, i) + other + token.slice(i + 1)))
    const answers = await Promise.all(urls.flatMap((url) => [visit(url), submit(url, payment(session))]))
    for (const answer of answers) expectNothing(answer, session, `position ${i}`)
  }
  expect((await sandbox.call({ path: '/orders' })).json.orders).toEqual([])
  expect((await visit(session.checkout_url)).status).toBe(200)
}, 60_000)

it('opens nothing with a token that is cut, lengthened, doubled, empty, missing or nonsense', async () => {
  const { sandbox, session } = await openCheckout()
  const token = tokenOf(session)
  const [facts, digest] = token.split('.') as [string, string]
  const wrong = [
    '',
    '.',
    facts,
    `${facts}.`,
    `.${digest}`,
    digest,
    `${digest}.${facts}`,
    token.slice(0, -1),
    token.slice(1),
    `${token}A`,
    `${token}=`,
    ` ${token}`,
    `${token} `,
    `${token}.`,
    `${token}.${digest}`,
    token.toUpperCase(),
    token.toLowerCase(),
    `${facts}${'A'.repeat(5_000)}.${digest}`,
    '\u0000',
    '💥',
    '../../etc/passwd',
  ]
  for (const other of wrong) expectNothing(await visit(pageOf(sandbox, other)), session, JSON.stringify(other))
  expectNothing(await visit(`${sandbox.url}/checkout`), session, 'no pt')
  expectNothing(await visit(`${sandbox.url}/checkout?PT=${token}`), session, 'another name')
  expect((await visit(`${sandbox.url}/checkout?pt=${token}&pt=${token}`)).status).toBe(400)
  expect((await visit(`${sandbox.url}/checkout?pt=%zz`)).status).toBe(400)
})

it('signs each fact: a longer life, another session, another world or another purpose opens nothing', async () => {
  const { sandbox, session } = await openCheckout()
  const second = await openSession(sandbox)
  const digest = tokenOf(session).split('.')[1]
  const facts = Buffer.from(tokenOf(session).split('.')[0]!, 'base64url').toString()
  const [purpose, world, id, expires] = facts.split(' ')
  expect([purpose, world, id]).toEqual(['checkout', 'default', session.session_id])
  await sandbox.operate('POST', '/v1/worlds', { name: 'second' })
  for (const forged of [
    `checkout default ${id} ${Number(expires) + 1}`,
    `checkout default ${id} `,
    `checkout default ${id}`,
    `checkout default ${second.session_id} ${expires}`,
    `checkout second ${id} ${expires}`,
    `checkout nowhere ${id} ${expires}`,
    `case default ${id} ${expires}`,
    `visit default ${id} ${expires}`,
    `checkout default ${id} ${expires} `,
    `checkout  default ${id} ${expires}`,
    `checkout default ${id} 0${expires}`,
    `checkout default ${id} ${expires}.0`,
  ]) {
    expectNothing(
      await visit(pageOf(sandbox, `${Buffer.from(forged).toString('base64url')}.${digest}`)),
      session,
      forged,
    )
  }
})

it('takes no token of another purpose, and no other page takes a token of the checkout', async () => {
  const { sandbox, session } = await openCheckout()
  const { json: link } = await sandbox.call({ path: '/links', body: { kind: 'generic' } })
  const cookie = (await visit(link.url)).headers.getSetCookie()[0]!.split(';')[0]!
  const visited = cookie.slice(cookie.indexOf('=') + 1)
  const opened = await sandbox.call({
    path: '/brokerage',
    body: { tier: 'managed', buyer_email: 'jo@x.example', budget: 100_000 },
  })
  const caseToken = new URL(opened.json.progress_url).searchParams.get('pt') as string
  expect((await visit(opened.json.progress_url)).status).toBe(200)
  for (const token of [visited, caseToken]) expectNothing(await visit(pageOf(sandbox, token)), session, token)
  expect((await visit(opened.json.progress_url.replace(caseToken, tokenOf(session)))).status).toBe(404)
})

it('opens nothing after a reset of its world, although the same ids may be given out again', async () => {
  const sandbox = await startSandbox({ frozen: true, clockMs: Date.UTC(2026, 0, 15, 12) })
  const before = await openSession(sandbox)
  await sandbox.operate('POST', `${WORLD}/reset`, {})
  const after = await openSession(sandbox, { domain: before.domain })
  expect(after.session_id).toBe(before.session_id)
  expectNothing(await visit(before.checkout_url), before, 'before the reset')
  expect((await visit(after.checkout_url)).status).toBe(200)
})

it('opens nothing in another server, even one of the same seed', async () => {
  const [one, two] = [await startSandbox(), await startSandbox()]
  const session = await openSession(one)
  await openSession(two, { domain: session.domain })
  expectNothing(await visit(pageOf(two, tokenOf(session))), session, 'elsewhere')
})
