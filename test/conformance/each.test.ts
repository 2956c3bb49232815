import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { selected } from '../../src/conformance/engine/schedule.ts'
import { loadScenarios } from '../../src/conformance/format/load-scenarios.ts'
import { effectsOf, needsOf } from '../../src/conformance/format/step-facts.ts'
import { ENDPOINT_IDS } from '../../src/contract/endpoint-ids.ts'
import { ENDPOINTS } from '../../src/contract/endpoints.ts'
import { registry } from '../support/referee.ts'
import { tempFolder } from '../support/temp-folder.ts'

function load(text: string) {
  const file = join(tempFolder(), 'rows.yaml')
  writeFileSync(file, `title: A scenario with rows\nproves: [AUTH-04]\n${text}`)
  return loadScenarios(file, registry)
}

const idsOf = ({ scenarios }: ReturnType<typeof load>): string[] =>
  scenarios.map(({ id }) => /\[.*/.exec(id)?.[0] ?? '')

const WRONG_DIGEST = `steps:
  - id: wrong
    call: { op: "\${each.op}" }
    fault: { signature: flip_bit }
    expect: { refused: invalid_signature, shows: AUTH-04 }
`

it('runs over every operation of the document, with a call that each of them accepts', () => {
  const loaded = load(`each: { op: { operations: {} } }\n${WRONG_DIGEST}`)
  expect(loaded.problems).toEqual([])
  expect(idsOf(loaded)).toEqual(ENDPOINT_IDS.map((id) => `[${id}]`).sort())
  const detail = loaded.scenarios.find(({ id }) => id.endsWith('[orders.detail]'))?.scenario
  expect(detail?.steps.map(({ id, call }) => [id, call])).toEqual([
    ['made', { op: 'orders.create' }],
    ['wrong', { op: 'orders.detail', path: { public_id: '${made.order.public_id}' } }],
  ])
  expect(detail && needsOf(detail)).toContain('fixture.sellable')
  expect(detail && effectsOf(detail)).toEqual({ orders: 1 })
})

it('narrows the operations by effect, verb and scope, and pairs them with the scopes that do not open them', () => {
  const reads = load(`each: { op: { operations: { effect: read, scope: webhook } } }\n${WRONG_DIGEST}`)
  expect(idsOf(reads)).toEqual(['[events.list]'])
  const closed = load(`each: { op: { operations: { only: [events.list], by: other_scope } } }\n${WRONG_DIGEST}`)
  expect(idsOf(closed)).toEqual(
    ['broker', 'buy', 'embed', 'refer', 'report', 'search'].map((scope) => `[events.list,${scope}]`),
  )
})

it('combines the rows of several names, and names values after what they are', () => {
  const { scenarios } = load(`each: { a: ["self serve", { row: two, q: x }], b: [1] }
steps:
  - id: wrong
    call: { op: domains.search, query: { q: "\${each.a}-\${each.b}" } }
    fault: { signature: flip_bit }
    expect: { refused: invalid_signature, shows: AUTH-04 }
`)
  expect(scenarios.map(({ id }) => /\[.*/.exec(id)?.[0])).toEqual(['[self-serve,1]', '[two,1]'])
  expect(scenarios[0]?.scenario.steps[0]?.call?.query).toEqual({ q: 'self serve-1' })
})

it('repeats a step for its rows within one scenario, under ids of their own', () => {
  const { scenarios, problems } = load(`steps:
  - each: { header: [nonce, timestamp] }
    id: missing
    call: { op: availability, query: { domain: "\${unlisted.domain}" } }
    fault: { "\${each.header}": drop }
    expect: { refused: missing_signature_headers, shows: AUTH-04 }
`)
  expect(problems).toEqual([])
  expect(scenarios[0]?.scenario.steps.map(({ id, fault }) => [id, fault])).toEqual([
    ['missing_nonce', { nonce: 'drop' }],
    ['missing_timestamp', { timestamp: 'drop' }],
  ])
})

it('reports each value that no row has where it is used, with what rows have, beside all other mistakes', () => {
  const { problems } = load(`each: { row: [{ row: one, status: A, n: 1 }, { row: two, status: B }] }
steps:
  - each: { header: [nonce, timestamp] }
    id: first
    call: { op: orders.list, query: { status: "\${each.row.state}", q: "\${each.haeder}" } }
    expect: { accepted: true, roles: { eror.code: x }, shows: AUTH-04 }
  - id: other
    call: { op: orders.list, query: { status: "\${each.row.status.more}" } }
    expect: { roles: { order.status: "\${each.row.state}" }, accpeted: true }
  - call: { op: orders.list, query: { q: "\${frist_nonce.status}" } }
`)
  expect(problems.map(({ line, message }) => [line, message])).toEqual([
    [
      7,
      expect.stringMatching(
        /^no row of each has "row.state"; it has row.row, row.status, row.n; did you mean "row.status"\?$/,
      ),
    ],
    [7, 'no row of each has "haeder"; it has row, header; did you mean "header"?'],
    [8, expect.stringMatching(/^"eror.code" is not a role/)],
    [10, 'no row of each has "row.status.more"'],
    [11, expect.stringMatching(/^no row of each has "row.state"/)],
    [11, 'unknown key "accpeted" in "expect"; did you mean "accepted"?'],
    [12, expect.stringMatching(/^"frist_nonce" in .* did you mean "first_nonce"\?$/)],
  ])
})

it('reports a mistake once, at its place in the file', () => {
  const each = 'each: { op: { operations: { effect: read } } }'
  const wrongFault = load(`${each}\n${WRONG_DIGEST.replace('flip_bit', 'flip_bits')}`).problems
  expect(wrongFault.map(({ line, message }) => [line, message])).toEqual([[7, expect.stringContaining('flip_bits')]])
  const unknown = load(`${each}\n${WRONG_DIGEST.replace('each.op', 'each.opp')}`).problems
  expect(unknown.map(({ line, message }) => [line, message])).toEqual([
    [6, 'no row of each has "opp"; it has op; did you mean "op"?'],
  ])
  const wrongFilter = load(`${each.replace('read', 'reed')}\n${WRONG_DIGEST}`).problems
  expect(wrongFilter.map(({ line, message }) => [line, message])).toEqual([[3, expect.stringContaining('"reed"')]])
})

it.each([
  ['an operation that does not exist', 'proves: [AUTH-04]', 'op: no.such', 'no.such'],
  ['no list of requirements', 'proves: 5', 'op: events.list', '"proves" must be a list, such as ["ORD-03"]'],
  [
    'an expression that cannot be read',
    'proves: [AUTH-04]',
    'op: domains.search, query: { q: "${each.a} ${run +}" }',
    'lacks a value',
  ],
])('reports %s in a file with rows', (_what, proves, call, message) => {
  const file = join(tempFolder(), 'rows.yaml')
  const step = `{ id: wrong, call: { ${call} }, fault: { signature: flip_bit }, expect: { refused: true, shows: AUTH-04 } }`
  writeFileSync(file, `title: A scenario with rows\n${proves}\neach: { a: [1, 2] }\nsteps:\n  - ${step}\n`)
  const { scenarios, problems } = loadScenarios(file, registry)
  expect(scenarios).toEqual([])
  expect(problems.map((problem) => problem.message).join('; ')).toContain(message)
})

it('selects one row by its id, and all of them by the id of the file', () => {
  const { scenarios } = load(`each: { op: { operations: {} } }\n${WRONG_DIGEST}`)
  const [{ id = '' } = {}] = scenarios
  expect(selected({ scenarios: [id] }, scenarios)).toHaveLength(1)
  expect(selected({ scenarios: [id.replace(/\[.*/, '')] }, scenarios)).toHaveLength(Object.keys(ENDPOINTS).length)
})

it('leaves out what a row lacks and others have, and takes ids of rows and steps from the file', () => {
  const { scenarios, problems } = load(`why: "\${each.fault.why}"
id: "auth/\${each.fault.row}"
each:
  fault:
    - { row: unsigned, why: No header is there at all., calls: [{ row: bare, call: { op: events.list }, fault: { auth_headers: drop } }] }
    - { row: cut, calls: [{ row: one, call: { op: events.list } }, { row: two, call: { op: links.list }, fault: { signature: drop } }] }
steps:
  - each: { one: "\${each.fault.calls}" }
    id: "\${each.one.row}"
    call: "\${each.one.call}"
    fault: "\${each.one.fault}"
    expect: { refused: true, shows: AUTH-04 }
`)
  expect(problems).toEqual([])
  const outlines = scenarios.map(({ id, scenario: { why, steps } }) => [id, why, ...steps.map((step) => step.id)])
  expect(outlines).toEqual([
    ['auth/cut', undefined, 'one', 'two'],
    ['auth/unsigned', 'No header is there at all.', 'bare'],
  ])
  expect(scenarios[0]?.scenario.steps.map(({ fault }) => fault)).toEqual([undefined, { signature: 'drop' }])
})

it('wants rows where a file gives the ids of rows', () => {
  const { problems } = load(`id: "auth/\${each.fault.row}"\n${WRONG_DIGEST.replace('${each.op}', 'events.list')}`)
  expect(problems.map(({ message }) => message)).toEqual([
    'only a file with rows says their ids; that of any other is its path',
  ])
})

it('tells rows apart by their names, and by the ids that a file gives them', () => {
  const rows = `each: { a: ["x y", x-y, z], b: [{ row: one, n: 1 }, { row: two, n: 1 }] }\n`
  const { problems } = load(`${rows}id: given/\${each.b.n}\n${WRONG_DIGEST.replace('"${each.op}"', 'orders.list')}`)
  expect(problems.map(({ line, message }) => [line, message])).toEqual([
    [3, '"x-y" is the name of more than one row'],
    [4, '"given/1" is the name of more than one row'],
  ])
})
