import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repoFiles, repoRoot } from './repo.ts'

const DECLARED = /^(?:export )?(?:declare )?(?:abstract )?(?:interface|class|type) (\w+)(?=[\s<=])/gm

/** Things of the sandbox that the operator API and the library show under the same name, as JSON has them. */
const SHOWN = new Set([
  ...['BrokerageCase', 'Buyer', 'CheckoutSession', 'Coverage', 'Credential', 'Delivery', 'DeliveryAttempt', 'Fault'],
  ...['Listing', 'Order', 'Page', 'PartnerEvent', 'PayoutRun', 'SettlementRun', 'Statement', 'TimelineEntry'],
  ...['World', 'WorldOptions'],
])

/** Each type name that several of these files declare, with its files. */
function declaredTwice(files: readonly string[]): [name: string, files: string[]][] {
  const places = new Map<string, Set<string>>()
  for (const file of files) {
    for (const [, name = ''] of readFileSync(join(repoRoot, file), 'utf8').matchAll(DECLARED)) {
      places.set(name, (places.get(name) ?? new Set()).add(file))
    }
  }
  return [...places].filter(([, found]) => found.size > 1).map(([name, found]) => [name, [...found]])
}

// The runner and the sandbox are two programs: neither imports the other, and both have calls, answers and deliveries.
test.each([
  ['the sandbox, its clients and the self-test', (file: string) => !file.startsWith('src/conformance/'), SHOWN],
  ['the runner', (file: string) => file.startsWith('src/conformance/'), new Set<string>()],
])('a type name is declared once in the files of %s', (_, isOfIt, known) => {
  const code = repoFiles('src').filter((file) => /\.tsx?$/.test(file) && isOfIt(file))
  const found = declaredTwice(code).filter(([name]) => !known.has(name))
  expect(found.map(([name, files]) => `${name}: ${files.join(', ')}`)).toEqual([])
})
