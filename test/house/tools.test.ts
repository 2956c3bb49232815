import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { EVERYDAY_TOOLS } from '../support/tools.ts'

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
