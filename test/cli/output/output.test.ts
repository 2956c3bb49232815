import { describe, expect, it } from 'vitest'
import { wantsColor } from '../../../src/cli/output/color.ts'
import { outline } from '../../../src/cli/output/outline.ts'
import { errorLine, problemLines } from '../../../src/cli/output/problem-lines.ts'
import { fields, money, table } from '../../../src/cli/output/table.ts'
import { CliError } from '../../../src/cli/session.ts'

describe('table', () => {
  it('aligns columns, numbers to the right, and leaves no white space at the end of a line', () => {
    const rows = [
      { name: 'a.test', price: money(129900, 'USD') },
      { name: 'longer.test', price: money(5, 'USD') },
    ]
    const text = table(rows, [
      ['PRICE', 'price', 'count'],
      ['DOMAIN', 'name'],
    ])
    expect(text).toBe('       PRICE  DOMAIN\nUSD 1,299.00  a.test\n    USD 0.05  longer.test\n')
  })

  it('cuts the widest cells where the terminal is narrower, and never the first column', () => {
    const rows = [{ id: 'ord_0123456789abcdef', domain: 'a-very-long-name-of-a-domain.test', state: 'held' }]
    const columns = [
      ['ORDER', 'id'],
      ['DOMAIN', 'domain'],
      ['STATE', 'state'],
    ] as const
    expect(table(rows, columns, 50)).toBe(
      'ORDER                 DOMAIN                 STATE\nord_0123456789abcdef  a-very-long-name-of-…  held\n',
    )
    expect(table(rows, columns, 10)).toContain('ord_0123456789abcdef  a-very-lon…  held')
    expect(table(rows, columns, null)).toContain('a-very-long-name-of-a-domain.test')
  })

  it('leaves month to minute of an instant that is cut', () => {
    const rows = [{ id: 'ord_1', at: '2026-11-28T12:31:34.945Z' }]
    const columns = [
      ['ORDER', 'id'],
      ['AT', 'at'],
    ] as const
    expect(table(rows, columns, 18)).toBe('ORDER  AT\nord_1  11-28 12:31\n')
    expect(table(rows, columns, 80)).toContain('2026-11-28T12:31:34.945Z')
  })

  it('shows what is missing as a dash and lists with commas', () => {
    expect(
      fields([
        ['a', null],
        ['long name', ['x', 'y']],
        ['b', []],
        ['c', { d: 1 }],
      ]),
    ).toBe('a          -\nlong name  x, y\nb          -\nc          {"d":1}\n')
  })

  it('never lets a cell act on the terminal or begin a new row', () => {
    expect(table([{ a: '\u001b[31m\nx' }], [['A', 'a']])).toBe('A\n\\x1b[31m\\nx\n')
  })

  it('writes negative cents with their sign in front', () => {
    expect([money(-5, 'EUR'), money(-1250, undefined), money('5', 'EUR')]).toEqual(['-EUR 0.05', '-12.50', '-'])
  })
})

describe('outline', () => {
  it('aligns what is short, and puts tables, texts and nested facts below their names', () => {
    const answer = {
      id: 'req_1',
      longer: null,
      checks: [
        { check: 'headers', verdict: 'passed' },
        { check: 'key', verdict: 'refused' },
      ],
      text: 'GET\n/a\n',
      headers: [
        ['Host', 'h'],
        ['X', 'y'],
      ],
      answer: { status: 401, body: '{}' },
    }
    expect(outline(answer)).toBe(
      [
        ...['id      req_1', 'longer  -'],
        ...['checks', '  CHECK    VERDICT', '  headers  passed', '  key      refused'],
        ...['text', '  GET', '  /a', ''],
        ...['headers', '  Host: h', '  X: y'],
        ...['answer', '  status  401', '  body    {}', ''],
      ].join('\n'),
    )
  })

  it('never lets an answer act on the terminal', () => {
    expect(outline({ '\u001b[1m': '\u001b[2m', list: [['\u001b[3m', '\r']], text: 'a\n\u001b[4m' })).not.toContain(
      '\u001b',
    )
  })
})

describe('wantsColor', () => {
  it.each([
    [{}, true, true],
    [{}, false, false],
    [{ NO_COLOR: '1' }, true, false],
    [{ NO_COLOR: '' }, true, true],
    [{ FORCE_COLOR: '1' }, false, true],
    [{ FORCE_COLOR: '0' }, true, false],
    [{ FORCE_COLOR: 'false' }, true, false],
    [{ NO_COLOR: '1', FORCE_COLOR: '1' }, true, false],
    [{ TERM: 'dumb' }, true, false],
  ])('with %j and terminal %s is %s', (env, isTerminal, wanted) => {
    expect(wantsColor(env, isTerminal)).toBe(wanted)
  })
})

describe('errorLine', () => {
  it('shows the message of an error that a person can act upon', () => {
    expect(errorLine(new CliError('--port 1 is in use'))).toBe('error: --port 1 is in use\n')
  })

  it('owns up to any other error, without a stack trace', () => {
    expect(errorLine(new TypeError('x is not\na function'))).toBe(
      'error: this is a bug in partner-sandbox, please report it: TypeError: x is not\\na function\n',
    )
  })
})

describe('problemLines', () => {
  it('writes file:line:column message, one line each, whatever is in the message', () => {
    expect(problemLines([{ file: 'a.yaml', line: 3, column: 7, message: 'bad\n\u001b[1m' }])).toBe(
      'a.yaml:3:7 bad\\n\\x1b[1m\n',
    )
  })
})
