import { describe, expect, it } from 'vitest'
import { parseTarget, targetFromFlags } from '../../../src/conformance/target/load-target.ts'
import { liveCredential } from '../../../src/conformance/target/target.ts'

const VALID = `url: https://staging.example.test
credentials:
  - { name: main, key_id: pk_test_1, secret: sk_test_12345 }
`

function problemsOf(text: string, env: Record<string, string> = {}): string[] {
  const { problems } = parseTarget(text, 'target.yaml', env)
  return problems.map(({ line, column, message }) => `${line}:${column} ${message}`)
}

describe('a target file of somebody hostile', () => {
  it.each([
    ['an alias within what it stands for', `${VALID}pins: &p { a: *p }\n`, /^4:15 the alias \*p is inside/],
    ['a body without end', `${VALID}dialect: { bodies: { quote: &q { x: *q } } }\n`, /^4:37 the alias \*q is inside/],
    ['a tag nobody knows', `${VALID}timeout: !!js/undefined 1s\n`, /^4:10 .*Unresolved tag/],
    ['a tag of a set', `${VALID}fixtures: !!set { sellable }\n`, /^4:11 .*Unresolved tag/],
    ['a key that is a list', `${VALID}? [a, b]\n: 1\n`, /^4:3 a key must be a string/],
    ['brackets without end', '['.repeat(200_000), /^1:101 this file is nested deeper than 100 levels$/],
    ['dashes without end', '- '.repeat(200_000), /^1:201 this file is nested deeper/],
    ['depth', `${VALID}pins: ${'{a: '.repeat(300)}1${'}'.repeat(300)}\n`, /^4:\d+ this file is nested deeper/],
    ['aliases that stand for more and more', bomb(), /^1:1 .*Excessive alias count/],
    [
      'more aliases than anybody needs',
      `${VALID}pins: { a: &a x }\nmode: [${'*a, '.repeat(4_000)}]\n`,
      /^5:\d+ more than 1000 aliases$/,
    ],
    ['an endless number', `${VALID}budget: { requests: .inf }\n`, /^4:21 "requests" must be a whole number/],
    ['no time', `${VALID}timeout: 0s\n`, /^4:10 a call must be given more than 0s/],
    ['more time than a timer has', `${VALID}timeout: 99999h\n`, /^4:10 a call must be given .* at most 1h$/],
    ['a fragment', VALID.replace('.test\n', '.test/#a\n'), /^1:6 the address must be/],
    ['a line end in a key', VALID.replace('pk_test_1', '"pk_test\\r\\nX-Evil: 1"'), /^3:\d+ "key_id" has a space or/],
    ['a port nobody has', `${VALID}receiver: { listen: "0.0.0.0:99999" }\n`, /^4:21 99999 is not a port/],
    ['a token of two lines', operator('url: "http://x.test", token: "a\\nb"'), /^4:\d+ "token" has a space or/],
    ['a header of two lines', action('headers: { a: "b\\r\\nc: d" }'), /^4:\d+ not a valid HTTP header/],
    ['a value nobody fills in', action('json: { a: "${order}" }'), /^4:\d+ unknown placeholder \$\{order\}/],
    [
      'a body nobody fills in',
      `${VALID}dialect: { bodies: { quote: { a: "\${nope}" } } }\n`,
      /^4:29 unknown placeholder/,
    ],
    ['a parameter without a name', `${VALID}dialect: { params: { orders.cursor: "" } }\n`, /^4:37 /],
  ])('is refused in one line for %s', (_what, text, problem) => {
    const problems = problemsOf(text)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(problem)
  })

  it('has each key that is given twice, beside all else that is wrong', () => {
    expect(
      problemsOf(`${VALID}moed: write\nurl: https://other.example.test\nurl: https://third.example.test\n`),
    ).toEqual(expect.arrayContaining(['5:1 duplicate key', '6:1 duplicate key']))
  })

  it('has a problem at each of its keys', () => {
    const keys = Array.from({ length: 4_000 }, (_, at) => `k${at}: 1\n`).join('')
    const problems = problemsOf(VALID + keys)
    expect(problems).toHaveLength(4_000)
    expect(problems.at(-1)).toMatch(/^4003:1 unknown key "k3999"/)
  })

  it('is told of a wrong type once', () => {
    expect(problemsOf(`${VALID}mode: [1]\n`)).toEqual(['4:7 "mode" must be a string, such as "read"'])
    expect(problemsOf(`${VALID}dialect: { roles: { order.nope: /a } }\n`)).toEqual([
      '4:21 unknown key "order.nope" in "roles"; did you mean "order"?',
    ])
  })

  it('confides what the environment tells for operator actions, wherever it stands', () => {
    const text = action('json: { token: "${env:JSON_TOKEN}" }').replace('/x"', '/x?k=${env:URL_TOKEN}"')
    const { target } = parseTarget(text, 'target.yaml', { JSON_TOKEN: 'json-token', URL_TOKEN: 'url-token' })
    expect([...(target?.knownSecrets ?? [])].sort()).toEqual(['json-token', 'url-token'])
  })
})

describe('a key is live', () => {
  const live = (keyId: string, secret = 'sk_test_12345') =>
    liveCredential(targetFromFlags({ url: 'https://api.example.test', keyId, secret })) !== undefined

  it.each(['pk_live_1', 'pk_live-1', 'PK_LIVE_1', 'key-live-1', 'live_1', 'pk_prod_1', 'PK-REAL-1'])(
    'by the word in its id: %s',
    (keyId) => {
      expect(live(keyId)).toBe(true)
    },
  )

  it('by the word in its secret', () => {
    expect(live('pk_test_1', 'sk_live_12345')).toBe(true)
  })

  it.each(['pk_test_live', 'pk_sandbox_1', 'delivery_1'])('not by letters that are no word: %s', (keyId) => {
    expect(live(keyId)).toBe(false)
  })
})

function operator(inside: string): string {
  return `${VALID}operator: { ${inside} }\n`
}

function action(inside: string): string {
  return operator(`actions: { hold: { request: "POST http://ops.example.test/x", ${inside} } }`)
}

function bomb(): string {
  const levels = [...'bcdefghi'].map((name, at) => {
    const inner = String.fromCharCode(name.charCodeAt(0) - 1)
    return `${name}: &${name} [${Array(9).fill(`*${inner}`).join(', ')}] # ${at}\n`
  })
  return `a: &a [x]\n${levels.join('')}${VALID}`
}
