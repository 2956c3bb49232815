import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { loadScenarios } from '../../src/conformance/format/load-scenarios.ts'
import { SCENARIO_SCHEMA } from '../../src/conformance/format/scenario-schema.ts'
import { TARGET_SCHEMA } from '../../src/conformance/target/target-schema.ts'
import type { FileProblem } from '../../src/conformance/yaml/read-yaml.ts'
import { MODELS, models, registry } from '../support/referee.ts'
import { tempFolder } from '../support/temp-folder.ts'

const SOUND = `title: A scenario that is as it should be
proves: [NONCE-01]
steps:
  - id: first
    call: { op: availability, query: { domain: "\${unlisted.domain}" } }
  - id: again
    resend: first
    expect: { refused: replay_detected, shows: NONCE-01 }
`

function problemsOf(text: string): FileProblem[] {
  const folder = tempFolder()
  const file = join(folder, 'one.yaml')
  writeFileSync(file, text)
  return loadScenarios(file, registry).problems
}

/** The only problem, as `line:column message`. */
function problemOf(text: string): string {
  const problems = problemsOf(text)
  expect(problems).toHaveLength(1)
  const [{ line, column, message } = { line: 0, column: 0, message: '' }] = problems
  return `${line}:${column} ${message}`
}

describe('scenario files', () => {
  it('loads the model scenarios with their ids', () => {
    expect(models.map(({ id }) => id)).toEqual(MODELS)
  })

  it('takes a sound file', () => {
    expect(problemsOf(SOUND)).toEqual([])
  })

  it('says where a misspelled key is and which was meant', () => {
    expect(problemOf(SOUND.replace('expect:', 'expct:'))).toBe(
      '8:5 unknown key "expct" in "steps[1]"; did you mean "expect"?',
    )
  })

  it('says where a misspelled operation is and which was meant', () => {
    expect(problemOf(SOUND.replace('op: availability', 'op: availabilty'))).toMatch(
      /^5:17 "op" is "availabilty", which is none of .*; did you mean "availability"\?$/,
    )
  })

  it('says where a misspelled code is and which was meant', () => {
    expect(problemOf(SOUND.replace('replay_detected', 'replay_detectd'))).toMatch(
      /^8:24 .*did you mean "replay_detected"\?$/,
    )
  })

  it('refuses a requirement that does not exist', () => {
    expect(problemsOf(SOUND.replaceAll('NONCE-01', 'NONCE-99')).map(({ message }) => message)).toEqual([
      '"NONCE-99" is not a requirement; did you mean "NONCE-09"?',
    ])
  })

  it('refuses to prove an open point', () => {
    expect(problemOf(SOUND.replaceAll('NONCE-01', 'NONCE-06'))).toMatch(/^2:10 NONCE-06 is an open point/)
  })

  it('refuses a second fault', () => {
    const two = SOUND.replace(
      '    resend: first',
      '    call: { op: availability }\n    fault: { nonce: { reuse: first }, timestamp: drop }',
    )
    expect(problemOf(two)).toBe('8:12 "fault" must have at most 1 key')
  })

  it('refuses a step with two actions, and one with none', () => {
    expect(problemOf(SOUND.replace('    resend: first', '    resend: first\n    mark: events'))).toMatch(
      /^6:5 a step has 2 actions \(resend, mark\)/,
    )
    expect(problemOf(SOUND.replace('    resend: first\n', ''))).toMatch(/^6:5 a step has no action/)
  })

  it('refuses a reference to a step that does not come before', () => {
    expect(problemOf(SOUND.replace('resend: first', 'resend: frist'))).toBe(
      '7:13 "frist" is not an earlier step; did you mean "first"?',
    )
    expect(problemOf(SOUND.replace('unlisted.domain', 'unlistd.domain'))).toMatch(
      /^5:48 "unlistd" in .*did you mean "unlisted"\?$/,
    )
  })

  it('refuses a check that was not announced, and an announcement without a check', () => {
    expect(problemOf(SOUND.replace('proves: [NONCE-01]', 'proves: [NONCE-01, AUTH-01]'))).toBe(
      '2:20 no step shows AUTH-01',
    )
    expect(problemsOf(SOUND.replace('shows: NONCE-01', 'shows: AUTH-01')).map(({ message }) => message)).toEqual([
      'shows AUTH-01, which is not in proves',
      'no step shows NONCE-01',
    ])
  })

  it('refuses an expression that cannot be read', () => {
    expect(problemOf(SOUND.replace('${unlisted.domain}', '${unlisted.domain +}'))).toMatch(/^5:48 .*lacks a value/)
  })

  it('refuses a role that does not exist', () => {
    const roles = SOUND.replace('shows: NONCE-01 }', 'roles: { eror.code: x }, shows: NONCE-01 }')
    expect(problemOf(roles)).toMatch(/"eror.code" is not a role; did you mean "error.code"\?$/)
  })

  it('refuses more sellable domains than it asks for', () => {
    const sold = SOUND.replace('unlisted.domain', 'sellable[1].domain')
    expect(problemOf(sold)).toMatch(/needs must list fixture\.sellable\(2\)$/)
  })

  it('refuses an order that effects do not mention', () => {
    const order = SOUND.replace('steps:', 'needs: [fixture.sellable]\nsteps:\n  - call: { op: orders.create }')
    expect(problemOf(order)).toMatch(/effects must say how many orders/)
  })

  it('refuses an expectation that deliveries and pages do not have', () => {
    const receive = SOUND.replace('    resend: first', '    receive: { within: 5s }')
    expect(problemsOf(receive).map(({ message }) => message)).toContain('"refused" cannot be expected of deliveries')
    const open = SOUND.replace('    resend: first', '    open: "${unlisted.domain}"')
    expect(problemsOf(open).map(({ message }) => message)).toContain('a page has no code: say refused: true')
  })

  it('refuses a fact that no delivery and no page has', () => {
    const expectation = (matchers: string) => SOUND.replace('{ refused: replay_detected,', `{ ${matchers},`)
    const receive = expectation('every: { delivery.sined: true }').replace('resend: first', 'receive: { hook: main }')
    expect(problemOf(receive)).toMatch(/"delivery.sined" is not a delivery fact; did you mean "signed"\?$/)
    const open = expectation('roles: { page.locatoin: x }').replace('resend: first', 'open: "${unlisted.domain}"')
    expect(problemsOf(open).map(({ message }) => message)).toContain(
      '"page.locatoin" is not a page fact; did you mean "page.location"?',
    )
  })

  it('refuses to read to its end what is no list', () => {
    expect(problemOf(SOUND.replace('op: availability', 'all_pages: true, op: availability'))).toMatch(
      /all_pages is of orders.list/,
    )
  })

  it('reports broken YAML, a missing file and an empty folder', () => {
    expect(problemsOf('title: "never closed\n')[0]?.line).toBeGreaterThan(0)
    expect(loadScenarios('no/such/file.yaml').problems[0]?.message).toBe('no such file or directory')
    const folder = tempFolder()
    expect(loadScenarios(folder).problems[0]?.message).toBe('no scenario here')
  })

  it('a bomb of aliases is no scenario', () => {
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefgh'
      .split('')
      .map((name, i) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[i]}`).join(',')}]`)
      .join('\n')}\n`
    expect(problemsOf(bomb).length).toBeGreaterThan(0)
  })
})

describe('schemas for editors', () => {
  it('are the ones the loader uses', () => {
    expect(JSON.parse(readFileSync('scenarios/scenario.schema.json', 'utf8'))).toEqual(
      JSON.parse(JSON.stringify(SCENARIO_SCHEMA.json)),
    )
    expect(JSON.parse(readFileSync('scenarios/target.schema.json', 'utf8'))).toEqual(
      JSON.parse(JSON.stringify(TARGET_SCHEMA.json)),
    )
  })

  it('are sound schemas of draft-07', () => {
    const ajv = new Ajv({ strict: false })
    expect(ajv.validateSchema(SCENARIO_SCHEMA.json)).toBe(true)
    expect(ajv.validateSchema(TARGET_SCHEMA.json)).toBe(true)
  })

  it('describe every key of a scenario and of its parts, with an example that is sound', () => {
    const schema = SCENARIO_SCHEMA.json as unknown as Part & { definitions: Record<string, Part> }
    const ajv = new Ajv({ strict: false })
    const parts = Object.entries({ scenario: schema, ...schema.definitions })
    // What is wrong in a call has a word of its own for each mistake: their descriptions say it all.
    const keys = parts
      .filter(([name]) => name !== 'fault')
      .flatMap(([name, { properties = {} }]) =>
        Object.entries(properties).map(([key, node]) => [name, key, node] as const),
      )
    expect(keys.length).toBeGreaterThan(100)
    for (const [name, key, { $ref, description, examples, ...rest }] of keys) {
      expect($ref ?? description, `${name}.${key}`).toBeTruthy()
      const check = ajv.compile({ ...rest, ...($ref && { $ref }), definitions: schema.definitions })
      expect(
        examples?.map((example) => [example, check(example)]),
        `${name}.${key}`,
      ).toEqual(examples?.map((example) => [example, true]))
      expect(examples?.length, `${name}.${key}`).toBeGreaterThan(0)
    }
  })
})

interface Part {
  properties?: Record<string, { $ref?: string; description?: string; examples?: unknown[] }>
}
