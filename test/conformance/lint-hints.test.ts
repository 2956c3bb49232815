import { describe, expect, it } from 'vitest'
import { asksToBeFilledIn, lintSecret } from '../../src/conformance/format/lint-scenario.ts'
import type { Scenario } from '../../src/conformance/format/scenario.ts'
import { keyHint } from '../../src/conformance/yaml/read-yaml.ts'

describe('what lint says of a key in the wrong place', () => {
  it('leads a role among what is expected to roles', () => {
    const hint = '; what an answer holds goes under roles: expect: { roles: { order.public_id: ... } }'
    expect(keyHint(['steps', 0, 'expect'], 'order.public_id')).toBe(hint)
    expect(keyHint(['steps', 0, 'expect', 1], 'order.public_id')).toBe(hint)
  })

  it('leads same_as in a body to what a body takes', () => {
    expect(keyHint(['steps', 0, 'call', 'body'], 'same_as')).toContain('bytes_of (the same bytes) or like')
  })

  it('says of a merge key that its keys are to be written out', () => {
    expect(keyHint(['steps', 0], '<<')).toBe('; the keys of another object are not merged in: write them out')
  })

  it('is silent of any other', () => {
    expect(keyHint(['steps', 0, 'expect'], 'acepted')).toBe('')
    expect(keyHint(['steps', 0, 'call'], 'same_as')).toBe('')
  })
})

it.each([
  ['TODO: a fact', true],
  ['TODO', true],
  ['TODOS.example', false],
  ['todo: an item of a list', false],
  ['what is TO DO', false],
])('%j is a place to fill in: %s', (text, yes) => {
  expect(asksToBeFilledIn(text)).toBe(yes)
})

it('refuses the secret of the credential everywhere but in lacks', () => {
  const secret = '${credential.secret}'
  const scenario: Scenario = {
    title: 't',
    why: 'w',
    proves: [],
    vars: { kept: secret },
    steps: [
      { call: { op: 'orders.list', query: { q: `a ${secret}` } }, expect: { lacks: [secret] } },
      {
        call: { op: 'orders.list' },
        fault: { key_id: secret } as never,
        expect: { refused: true, roles: { a: secret } },
      },
      { call: { op: 'orders.list', query: { q: '$${credential.secret}' } }, expect: { refused: true } },
    ],
  }
  const refused: string[] = []
  lintSecret(scenario, (path, message) => refused.push(`${path.join('.')}: ${message}`))
  const why = '${credential.secret} may only be named in lacks: the runner never sends it'
  expect(refused).toEqual(
    ['vars.kept', 'steps.0.call.query.q', 'steps.1.fault.key_id', 'steps.1.expect.roles.a'].map(
      (at) => `${at}: ${why}`,
    ),
  )
})
