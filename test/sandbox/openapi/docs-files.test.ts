import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repoRoot } from '../../house/repo.ts'
import { sandboxOfFile, startSandbox } from '../../support/sandbox.ts'

const shared = sandboxOfFile()
const ports = () => [shared.url, shared.operator?.url ?? '']
const textOf = async (url: string) => (await fetch(url)).text()

describe('docs on both ports', () => {
  it('are listed at /llms.txt, and each link leads to the page as the package has it', async () => {
    for (const port of ports()) {
      const list = await fetch(`${port}/llms.txt`)
      expect([list.status, list.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
      const links = [...(await list.text()).matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link)
      expect(links.length).toBeGreaterThan(12)
      for (const link of links) {
        const page = await fetch(new URL(link, port))
        expect([page.status, page.headers.get('content-type')], link).toEqual([200, 'text/markdown; charset=utf-8'])
        expect(await page.text(), link).toBe(readFileSync(join(repoRoot, link), 'utf8'))
      }
    }
  })

  it('are one file at /llms-full.txt, with each page once', async () => {
    const [whole, sameWhole] = await Promise.all(ports().map((port) => textOf(`${port}/llms-full.txt`)))
    expect(sameWhole).toBe(whole)
    const list = readFileSync(join(repoRoot, 'docs/llms.txt'), 'utf8')
    for (const [, link = ''] of list.matchAll(/\]\(([^)]+)\)/g)) {
      const page = readFileSync(join(repoRoot, link), 'utf8')
      expect(whole?.split(page), link).toHaveLength(2)
    }
  })

  it.each(['/docs/nothing.md', '/docs/..%2fpackage.json', '/docs/generate.mjs', '/docs/llms.txt'])(
    'are nothing else: %s is not found',
    async (path) => {
      for (const port of ports()) expect((await fetch(`${port}${path}`)).status, port).toBe(404)
    },
  )

  it('need no token, which data of the operator port does', async () => {
    const { operator } = await startSandbox({ operatorToken: 'a-token-of-this-test' })
    expect((await fetch(`${operator?.url}/llms.txt`)).status).toBe(200)
    expect((await fetch(`${operator?.url}/docs/signing.md`)).status).toBe(200)
    expect((await fetch(`${operator?.url}/v1`)).status).toBe(401)
  })
})
