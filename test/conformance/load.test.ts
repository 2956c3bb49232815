import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { loadScenarios } from '../../src/conformance/format/load-scenarios.ts'
import { SCENARIO_SCHEMA } from '../../src/conformance/format/scenario.ts'
import { editorSchema } from '../../src/conformance/format/schema-each.ts'
import { TARGET_SCHEMA } from '../../src/conformance/target/target-schema.ts'
import { type FileProblem, placeOf } from '../../src/conformance/yaml/read-yaml.ts'
import { registry } from '../support/referee.ts'
import { tempFolder } from '../support/temp-folder.ts'

const VALID = `title: A scenario that is as it should be
proves: [NONCE-01]
steps:
  - id: first
    call: { op: availability, query: { domain: "\${unlisted.domain}" } }
  - id: again
    call: { again: first }
    expect: { refused: replay_detected, shows: NONCE-01 }
`

function problemsOf(text: string): FileProblem[] {
  const folder = tempFolder()
  const file = join(folder, 'one.yaml')
  writeFileSync(file, text)
  return loadScenarios(file, registry).problems
}

const messagesOf = (text: string): string[] => problemsOf(text).map(({ message }) => message)

/** The only problem, as `line:column message`. */
function problemOf(text: string): string {
  const problems = problemsOf(text)
  expect(problems).toHaveLength(1)
  const [{ line, column, message } = { line: 0, column: 0, message: '' }] = problems
  return `${line}:${column} ${message}`
}

/** A scenario whose second step expects this of events. */
const EVENTS = (expected: string): string =>
  VALID.replace('call: { again: first }', 'events: {}').replace('refused: replay_detected', () => expected)

const CALL = 'call: { op: availability }'
const SINED = 'expect: { every: { delivery.sined: true },'

describe('a scenario file', () => {
  it('takes a valid file', () => {
    expect(problemsOf(VALID)).toEqual([])
  })

  it.each<[string, string, string, string | RegExp]>([
    ['a misspelled key', 'expect:', 'expct:', '8:5 unknown key "expct" in "steps[1]"; did you mean "expect"?'],
    [
      'a misspelled operation',
      ...(['op: availability', 'op: availabilty'] as const),
      /^5:17 "op" is "availabilty", which is none of .*; did you mean "availability"\?$/,
    ],
    ['a misspelled code', 'replay_detected', 'replay_detectd', /^8:24 .*did you mean "replay_detected"\?$/],
    ['an open point to prove', 'NONCE-01', 'NONCE-06', /^2:10 NONCE-06 is an open point/],
    [
      'a second fault',
      ...(['call: { again: first }', `${CALL}\n    fault: { nonce: { reuse: first }, timestamp: drop }`] as const),
      '8:12 "fault" must have at most 1 key',
    ],
    [
      'two actions',
      '    call: { again: first }',
      '    call: { again: first }\n    hook: { answer: 500 }',
      /^6:5 a step has 2 actions \(call, hook\)/,
    ],
    ['no action', '    call: { again: first }\n', '', /^6:5 a step has no action/],
    [
      'a step that does not come before',
      ...(['again: first', 'again: frist', '7:20 "frist" is not an earlier step; did you mean "first"?'] as const),
    ],
    ['no known value', 'unlisted.domain', 'unlistd.domain', /^5:48 "unlistd" in .*did you mean "unlisted"\?$/],
    ['nothing that shows it', '[NONCE-01]', '[NONCE-01, AUTH-01]', '2:20 no step shows AUTH-01'],
    ['half an expression', '${unlisted.domain}', '${unlisted.domain +}', /^5:48 .*lacks a value/],
    [
      'a role that does not exist',
      ...(['shows: NONCE-01 }', 'roles: { eror.code: x }, shows: NONCE-01 }'] as const),
      /"eror.code" is not a role; did you mean "error.code"\?$/,
    ],
    [
      'effects of nothing where an order is left',
      ...(['steps:', 'effects: { orders: 0 }\nsteps:\n  - call: { op: orders.create }'] as const),
      /the steps leave more behind \(orders: 1\); leave orders out, or say how many/,
    ],
    [
      'optional checks of a step without any',
      ...(['steps:', 'steps:\n  - { optional: checks, call: { op: availability } }'] as const),
      /a step that shows and observes nothing has no checks that could be optional/,
    ],
    [
      'an earlier refusal for any key',
      ...(['op: avail', 'or_refused_before: true, op: avail'] as const),
      /only a step with `as: { only: SCOPE }` can be served by an earlier refusal/,
    ],
    ['no list to read to its end', 'op: avail', 'all_pages: true, op: avail', /all_pages is of orders.list/],
    [
      'a fact that no delivery has',
      ...([
        'call: { again: first }\n    expect: { refused: replay_detected,',
        `events: { hook: main }\n    ${SINED}`,
      ] as const),
      /"delivery.sined" is not a delivery fact; did you mean "signed"\?$/,
    ],
  ])('with %s is refused with its place', (_what, valid, wrong, problem) => {
    const told = typeof problem === 'string' ? problem : expect.stringMatching(problem)
    expect(problemOf(VALID.replaceAll(valid, wrong))).toEqual(told)
  })

  it.each([
    ['[NONCE-01]', '[NONCE-01, AUTH-17]', 'AUTH-17 is an open point: observe it, it cannot be proved'],
    ['NONCE-01', 'NONCE-99', '"NONCE-99" is not a requirement; did you mean "NONCE-09"?'],
    ['shows: NONCE-01', 'shows: AUTH-01', 'no step shows NONCE-01', 'shows AUTH-01, which is not in proves'],
  ])('with %s as %s has just the problems that it has', (valid, wrong, ...problems) => {
    expect(messagesOf(VALID.replaceAll(valid, wrong))).toEqual(problems)
  })

  it.each([
    ['a code of deliveries', 'events: { hook: main, within: 5s }', '"refused" cannot be expected of deliveries'],
    [
      'a count of one answer',
      'call: { op: orders.list }\n    expect: { count: 1, shows: NONCE-01 }',
      '"count" is about the items of a list: name it with items',
    ],
    [
      'a balance of one answer',
      'call: { op: orders.list }\n    expect: { judge: running_balance, shows: NONCE-01 }',
      '"judge" is about the items of a list: name it with items',
    ],
    [
      'a header of calls made at once',
      'call: { op: orders.list, at_once: 2 }\n    expect: { headers: { date: x }, shows: NONCE-01 }',
      '"headers" cannot be expected of calls made at once',
    ],
    [
      'anything of an operator',
      'operator: { payout: all }\n    expect: { accepted: true, shows: NONCE-01 }',
      'nothing can be expected of this step',
    ],
    [
      'a call of its own beside one sent again',
      'call: { again: first, op: availability }',
      'again repeats the call of another step, and stands alone',
    ],
    [
      'a page that is opened and pressed',
      'page: { open: "${unlisted.domain}", press: pay }',
      'a page step has either open or press',
    ],
    [
      'a page to press without a press',
      'page: { open: "${unlisted.domain}", fill: { email: x } }',
      '"fill" goes with press',
    ],
    [
      'silence and an event within a time',
      'events: { within: 1s, none_for: 1s }',
      'within and none_for exclude each other',
    ],
    ['a code of a page', 'page: { open: "${unlisted.domain}" }', 'a page has no code: say refused: true'],
    [
      'a fact that no page has',
      'page: { open: "${unlisted.domain}" }\n    expect: { roles: { page.locatoin: x }, shows: NONCE-01 }',
      '"page.locatoin" is not a page fact; did you mean "page.location"?',
    ],
  ])('does not expect %s', (_what, action, problem) => {
    const text = action.includes('expect:') ? VALID.slice(0, VALID.lastIndexOf('    expect')) : VALID
    expect(messagesOf(text.replace('call: { again: first }', action))).toContain(problem)
  })

  it.each([
    ['{ equal: x }', '"equal" is not a condition; did you mean "equals"?'],
    ['{ present: true, at_mots: 2 }', '"at_mots" is not a condition; did you mean "at_most"?'],
    [
      '{ color: blue }',
      /^"color" is not a condition; use equals, .*; to compare with an object, use equals: \{ ... \}$/,
    ],
    ['{}', 'this asks for nothing; to compare with an object, use equals: { ... }'],
    ['{ length: { at_leats: 1 } }', '"at_leats" is not a condition; did you mean "at_least"?'],
    ['{ type: strin }', /^"strin" is not a type: use .*; did you mean "string"\?$/],
    ['{ one_of: x }', 'one_of takes a list of values, such as [a, b]'],
    ['{ present: yes }', 'present takes true or false'],
    ['{ at_most: [1] }', 'at_most takes a number or a time'],
    ['{ matches: "(" }', '"(" is not a valid regular expression'],
  ])('does not compare with the condition %s', (condition, problem) => {
    const told = typeof problem === 'string' ? problem : expect.stringMatching(problem)
    for (const place of [
      'roles: { error.code: C }',
      'headers: { date: C }',
      'same_as: { step: first, where: { order.status: C } }',
    ])
      expect(messagesOf(VALID.replace('shows:', `${place.replace('C', () => condition)}, shows:`))).toEqual([told])
    const ofMany = ['every: { id: C }', 'includes: { id: C }', 'excludes: { id: C }', 'count: C']
    for (const place of ofMany) expect(messagesOf(EVENTS(place.replace('C', () => condition)))).toEqual([told])
  })

  it.each([
    '{ equals: { color: blue } }',
    '{ one_of: [x, y], type: "null" }',
    '{ matches: "${vars.pattern}" }',
    '[x, y]',
  ])('compares with %s', (condition) => {
    const text = EVENTS(`every: { data.order: ${condition} }`).replace('steps:', 'vars: { pattern: x }\nsteps:')
    expect(messagesOf(text)).toEqual([])
  })

  it.each([
    [
      'path: { id: x }',
      '"id" is not a parameter of the path /api/partner/v1/orders/{public_id}; orders.detail takes public_id',
    ],
    [
      'headers: { Accept: x }',
      'the path /api/partner/v1/orders/{public_id} needs a value: path: { public_id: "${made.order.public_id}" }',
    ],
  ])('gives a path its parameters, not %s', (given, problem) => {
    const text = VALID.replace('call: { again: first }', () => `call: { op: orders.detail, ${given} }`)
    expect(messagesOf(text)).toEqual([problem])
  })

  it.each([
    [
      'orders.create, body: { set: { expected_prise: 5 } }',
      '"expected_prise" is not a field of the body of orders.create; did you mean "expected_price"?',
    ],
    [
      'orders.create, body: { set: { color: x }, unset: [retrn_url] }',
      '"retrn_url" is not a field of the body of orders.create; did you mean "return_url"?',
    ],
    [
      'orders.create, body: { set: { buyer.emial: x } }',
      '"buyer.emial" is not a field of buyer in orders.create; did you mean "buyer.email"?',
    ],
    [
      'brokerage.create, body: { set: { budgte: 5 } }',
      '"budgte" is not a field of the body of brokerage.create; did you mean "budget"?',
    ],
    [
      'orders.list, query: { "limt?": 5, statsu: x, trace: x, form: 5 }',
      '"limt?" is not a parameter of orders.list; did you mean "limit"?',
      '"statsu" is not a parameter of orders.list; did you mean "status"?',
      '"form" is not a parameter of orders.list; did you mean "from"?',
    ],
    ['brokerage.create, body: { set: { color: x, domainName: x, buyer: { email: x }, email: x } }'],
    ['quotes.create, body: { set: { domain_name: x, domain.ascii: x } }'],
    ['orders.create, body: { json: {}, set: { curency: x } }'],
    ['webhooks.put, body: { set: { events: [order.settled], description: x } }'],
    ['refunds.create, body: { set: { reasons: [x] } }'],
  ])('puts into the body of an operation that is to be accepted what it has: %s', (call, ...problems) => {
    const first = '{ op: availability, query: { domain: "${unlisted.domain}" } }'
    expect(messagesOf(VALID.replace(first, () => `{ op: ${call} }`))).toEqual(problems)
  })

  it.each(['refused: validation_error', 'refused: true', 'status: [201, 400]', 'status: 422'])(
    'sends any field where %s is expected, and leaves out no unknown one',
    (expected) => {
      const call = 'call: { op: orders.create, body: { set: { curency: x } } }\n    expect: { E, shows: NONCE-01 }'
      const text = VALID.slice(0, VALID.indexOf('call: { again')) + call.replace('E', expected)
      expect(messagesOf(text)).toEqual([])
      expect(messagesOf(text.replace('set: { curency: x }', 'unset: [curency]'))).toEqual([
        '"curency" is not a field of the body of orders.create; did you mean "currency"?',
      ])
    },
  )

  it('sends any field where only what comes of it is observed', () => {
    const text = `${VALID}  - id: odd\n    call: { op: orders.create, body: { set: { curency: x } } }\n    observe: ORD-13\n`
    expect(messagesOf(text)).toEqual([])
  })

  it.each([
    ['order.public_idd', 'no event has "order.public_idd"; did you mean "data.order.public_id"?'],
    ['data.ordr.public_id', 'no event has "data.ordr.public_id"; did you mean "data.order"?'],
    ['public_id', 'no event has "public_id"; did you mean "data.order.public_id"?'],
    ['tpye', 'no event has "tpye"; did you mean "type"?'],
    ['partner_id', 'the history does not show partner_id; only deliveries do'],
    ['delivery.attempt', '"delivery.attempt" is of deliveries: say hook'],
  ])('looks for no event with %s', (path, problem) => {
    for (const expected of [`count: 1, every: { ${path}: x }`, `includes: { ${path}: x }`, `distinct: ${path}`])
      expect(messagesOf(EVENTS(expected).replace('events: {}', 'events: { type: order.recorded }'))).toEqual([problem])
    const where = EVENTS('count: 1').replace('events: {}', `events: { type: order.recorded, where: { ${path}: x } }`)
    expect(messagesOf(where)).toEqual([problem])
  })

  it('looks for events with what the document gives, or leaves open', () => {
    const paths = [
      'data.order.public_id',
      'order.domain',
      'data.order.color',
      'data.color',
      'case.case_id',
      'case_id',
      'id',
    ]
    for (const path of paths) expect(messagesOf(EVENTS(`every: { ${path}: x }`))).toEqual([])
    const delivered = EVENTS('every: { partner_id: x, delivery.signed: true }').replace(
      'events: {}',
      'events: { hook: main }',
    )
    expect(messagesOf(delivered)).toEqual([])
  })

  it('compares where with plain values only', () => {
    const text = EVENTS('count: 1').replace('events: {}', 'events: { where: { data.order.domain: { equals: x } } }')
    expect(messagesOf(text)).toEqual([
      'where compares with a plain value; put conditions into every, includes or excludes',
    ])
  })

  it('reports what is wrong in shape and in names at once, and nothing that only follows from it', () => {
    const text = `title: A scenario with many mistakes
proves: NONCE-01
needs: [scope.buy, sellable]
steps:
  - id: first
    call: { op: availabilty, query: { domain: "\${unlistd.domain}" } }
  - id: told
    events: { hook: Main, type: order.created }
    expect: { every: { delivery.signed: true }, count: 1, shows: NONCE-01 }
  - id: later
    call: { op: orders.list, until: 5, query: { q: "\${told.delivery.signed}" } }
    expect: { status: many, includes: { id: { equal: x } } }
  - id: Other
    cal: { op: orders.list }
    expect: { accepted: true, shows: NONCE-99 }
  - call: { op: orders.list, at_once: two, query: { q: "\${first.x} \${Other.status} \${nobody.x}" } }
    expect: { accepted: true, roles: { eror.code: x } }
`
    const found = problemsOf(text).map(({ line, message }) => `${line} ${message.replace(/[;,].*$/, '')}`)
    expect(found).toEqual([
      '2 "proves" must be a list',
      '3 "needs[1]" must be a need such as scope.buy or fixture.sellable(2)',
      '6 "op" is "availabilty"',
      '6 "unlistd" in ${unlistd.domain} is neither an earlier step nor a fixture',
      '8 "hook" must be small letters',
      '8 "type" is "order.created"',
      '11 "until" must be a duration such as 5s or 10m30s',
      '12 "status" must be a whole number or a list',
      '13 "id" must be small letters',
      '14 unknown key "cal" in "steps[3]"',
      '16 "at_once" must be a whole number or an object',
      '16 "nobody" in ${first.x} ${Other.status} ${nobody.x} is neither an earlier step nor a fixture',
    ])
  })

  it.each([
    ['an id', VALID.replace('id: first', 'di: first')],
    ['its vars', VALID.replace('steps:', 'var: { key: x }\nsteps:').replace('unlisted.domain', 'vars.key')],
  ])('says of a misspelled key for %s nothing of what refers to it', (_what, text) => {
    expect(messagesOf(text)).toEqual([expect.stringMatching(/^unknown key/)])
  })

  it.each([
    ['title: Short', 'title: .*', '"title" must have at least 10 characters'],
    ['proves: NONCE-01', 'proves: .*', '"proves" must be a list, such as ["ORD-03"]'],
    [
      'needs: [sellable]\nsteps:',
      'steps:',
      /^"needs\[0\]" must be a need such as .*, not "sellable"; did you mean "fixture.sellable"\?$/,
    ],
    ['needs: [scope.by]\nsteps:', 'steps:', /, not "scope.by"; did you mean "scope.buy"\?$/],
    ['needs: [operator.refnd]\nsteps:', 'steps:', /, not "operator.refnd"; did you mean "operator.refund"\?$/],
    ['needs: [fixture.listed(2)]\nsteps:', 'steps:', /, not "fixture.listed\(2\)"; did you mean "fixture.listed"\?$/],
    [
      'shows: NONCE-1',
      'shows: NONCE-01',
      /^"shows" must be the id of a requirement such as ORD-03, not "NONCE-1"; did you mean "NONCE-01"\?$/,
    ],
    ['op: orders.list, until: 5', 'again: first', '"until" must be a duration such as 5s or 10m30s, not 5'],
    ['op: orders.list, until: 5 s', 'again: first', '"until" must be a duration such as 5s or 10m30s, not "5 s"'],
    ['op: orders.list, at_once: two', 'again: first', '"at_once" must be a whole number or an object, such as 8'],
    ['op: orders.list, at_once: 0', 'again: first', '"at_once" must be at least 1'],
    ['proves: [NONCE-01, NONCE-01]', 'proves: .*', '"proves" has the same item twice: "NONCE-01"'],
    [
      'expect: acepted',
      'expect: .*',
      '"expect" is "acepted", which is none of accepted; it may also be an object or a list; did you mean "accepted"?',
    ],
    ['id: listed', 'id: first', /^"listed" is reserved: choose another id than listed, unlisted, .*, credential$/],
  ])('says what is allowed where there is %s', (wrong, valid, problem) => {
    const told = typeof problem === 'string' ? problem : expect.stringMatching(problem)
    const text = VALID.replace(new RegExp(valid), () => wrong)
    expect(messagesOf(text)[0]).toEqual(told)
  })

  it('reports broken YAML, a missing file and an empty folder', () => {
    expect(problemsOf('title: "never closed\n')[0]?.line).toBeGreaterThan(0)
    expect(loadScenarios('no/such/file.yaml', registry).problems[0]?.message).toBe('no such file or directory')
    const folder = tempFolder()
    const [empty] = loadScenarios(folder, registry).problems
    expect(empty && [placeOf(empty), empty.message]).toEqual([folder, 'no scenario here'])
    for (const text of ['', '# nothing yet\n']) expect(messagesOf(text)).toEqual(['the file is empty'])
  })
})

describe('schemas for editors', () => {
  it('are the ones the loader uses', () => {
    expect(JSON.parse(readFileSync('scenarios/scenario.schema.json', 'utf8'))).toEqual(
      JSON.parse(JSON.stringify(editorSchema(SCENARIO_SCHEMA.json))),
    )
    expect(JSON.parse(readFileSync('scenarios/target.schema.json', 'utf8'))).toEqual(
      JSON.parse(JSON.stringify(TARGET_SCHEMA.json)),
    )
  })

  it('are valid schemas of draft-07', () => {
    const ajv = new Ajv({ strict: false })
    expect(ajv.validateSchema(SCENARIO_SCHEMA.json)).toBe(true)
    expect(ajv.validateSchema(TARGET_SCHEMA.json)).toBe(true)
  })

  it('describe every key of a scenario and of its parts, with an example that is valid', () => {
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

it('a file whose aliases would take for ever to follow is refused', () => {
  const aliases = `a: &a [1]\nb: [${Array<string>(5_000).fill('*a').join()}]\n`
  const file = join(tempFolder(), 'aliases.yaml')
  writeFileSync(file, aliases)
  expect(loadScenarios(file, registry).problems.map(({ message }) => message)).toEqual(['more than 1000 aliases'])
})
