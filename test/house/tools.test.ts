import { readFileSync } from 'node:fs'
import { join, normalize } from 'node:path'
import { expect, test } from 'vitest'
import { EVERYDAY_TOOLS } from '../support/tools.ts'
import { repoFiles, repoRoot } from './repo.ts'

test('.ci/run installs and insists on every program that npm test uses', () => {
  const script = readFileSync(new URL('../../.ci/run', import.meta.url), 'utf8')
  const wordsOf = (name: string) => new RegExp(`${name}=\\(([^)]*)\\)`).exec(script)?.[1]?.trim().split(/\s+/).sort()
  expect(wordsOf('programs')).toEqual(Object.keys(EVERYDAY_TOOLS).sort())
  expect(wordsOf('debian_packages')).toEqual(
    Object.values(EVERYDAY_TOOLS)
      .flatMap(({ packages }) => packages)
      .sort(),
  )
  expect(script).toContain('export PARTNER_SANDBOX_ALL_TOOLS=')
})

/** Scripts import what was built, which no type check reads; most of them run far less often than the tests. */
test('scripts import from dist only what src exports', async () => {
  const scripts = repoFiles('bench', 'docs', 'examples', 'test').filter((file) => file.endsWith('.mjs'))
  const missing: string[] = []
  for (const script of scripts) {
    const text = readFileSync(join(repoRoot, script), 'utf8')
    const imports = text.matchAll(
      /(?:import|const) \{([^}]*)\}(?: from| = await import\() ?'((?:\.\.\/)+dist\/[^']*)\.js'/g,
    )
    for (const [, names, path] of imports) {
      const source = normalize(join(script, '..', path ?? '')).replace(/^dist/, 'src')
      const exported = Object.keys(await import(join(repoRoot, `${source}.ts`)))
      const wanted = (names ?? '').split(',').map((name) => name.split(' as ')[0]?.split(':')[0]?.trim() ?? '')
      missing.push(
        ...wanted
          .filter((name) => name !== '' && !exported.includes(name))
          .map((name) => `${script}: ${name} of ${source}`),
      )
    }
  }
  expect(missing).toEqual([])
})
