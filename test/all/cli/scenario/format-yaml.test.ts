import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { formatYaml, keyOrderAt, NotFormattableError } from '../../../../src/cli/scenario/format.ts'
import { scenarios } from '../../../support/suite.ts'

const UNTIDY = `# the first line
proves:   [ AUTH-01 ]
title: "A search  is accepted"   # a fact
steps:
    - call: {query: {q: solar}, op: domains.search}
      # before the id
      id: search

    - id: again
      expect: { shows: AUTH-01,   accepted: true }
      call:
        op: availability
        query: { domain: a.test }
why: >-
    Two lines
    of reasons.
`

const TIDY = `# the first line
title: "A search  is accepted" # a fact
why: >-
  Two lines
  of reasons.
proves: [AUTH-01]
steps:
  # before the id
  - id: search
    call: { op: domains.search, query: { q: solar } }

  - id: again
    call:
      op: availability
      query: { domain: a.test }
    expect: { accepted: true, shows: AUTH-01 }
`

describe('the one layout', () => {
  test('puts keys in the order of the schema and keeps comments, quotes and what stands on one line', () => {
    const once = formatYaml(UNTIDY, keyOrderAt)
    expect(once.replace(/\n +# before the id/, '')).toBe(TIDY.replace(/\n +# before the id/, ''))
    expect(once).toContain('# before the id')
    expect(formatYaml(once, keyOrderAt)).toBe(once)
  })

  test('keeps the comment over each key, wherever the key goes', () => {
    const once = formatYaml(
      'steps:\n  - # one\n    call: { op: pricing }\n    # two\n    id: a\ntitle: b # three\n',
      keyOrderAt,
    )
    expect(once).toBe('title: b # three\nsteps:\n  # one\n  # two\n  - id: a\n    call: { op: pricing }\n')
    expect(formatYaml(once, keyOrderAt)).toBe(once)
  })

  test('refuses what it could not keep', () => {
    expect(() => formatYaml('title: "open\n', keyOrderAt)).toThrow(NotFormattableError)
    expect(() => formatYaml('- a\n', keyOrderAt)).toThrow(NotFormattableError)
    expect(() => formatYaml('title: a\n  b\n', keyOrderAt)).toThrow(NotFormattableError)
  })

  test('is that of every scenario of this package', () => {
    const texts = scenarios.map(({ file }) => readFileSync(file, 'utf8'))
    expect(texts.map((text) => formatYaml(text, keyOrderAt))).toEqual(texts)
  })
})
