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

/** Names of the runner that stand for two things still. A name that is gone from its files is to be taken out here. */
const OF_THE_RUNNER = new Set([
  ...[
    'Answer',
    'Ask',
    'Call',
    'Delivery',
    'Evidence',
    'Found',
    'HookAnswer',
    'Kept',
    'Kind',
    'Known',
    'Line',
    'Members',
  ],
  ...['Outcome', 'Reading', 'ReceiverOptions', 'RequirementRow', 'Seen', 'Standing', 'Subject', 'Unit'],
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
  ['the runner', (file: string) => file.startsWith('src/conformance/'), OF_THE_RUNNER],
])('a type name is declared once in the files of %s', (_, isOfIt, known) => {
  const code = repoFiles('src').filter((file) => /\.tsx?$/.test(file) && isOfIt(file))
  const found = declaredTwice(code).filter(([name]) => !known.has(name))
  expect(found.map(([name, files]) => `${name}: ${files.join(', ')}`)).toEqual([])
})
