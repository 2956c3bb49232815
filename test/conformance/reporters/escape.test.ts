import { describe, expect, it } from 'vitest'
import { escapeLine, escapeXmlText } from '../../../src/conformance/reports/escape.ts'

describe('escapeLine', () => {
  it('shows colors, cursor moves, line ends and overrides instead of obeying them', () => {
    expect(escapeLine('a\u001b[2J\r\n\t\u009b\u202e\ud800z')).toBe('a\\x1b[2J\\r\\n\\t\\x9b\\u202e\\ud800z')
  })

  it('leaves other languages and emoji alone', () => {
    expect(escapeLine('Grüße 日本 😀')).toBe('Grüße 日本 😀')
  })
})

describe('escapeXmlText', () => {
  it('escapes markup and shows what XML forbids as an escape', () => {
    expect(escapeXmlText(']]><a b="c">&\u0000\uffff')).toBe(']]&gt;&lt;a b=&quot;c&quot;&gt;&amp;\\x00\\uffff')
  })
})
