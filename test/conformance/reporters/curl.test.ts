import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { escapeLine, escapeXmlText } from '../../../src/conformance/reports/escape.ts'
import { curlCommand, shellQuote } from '../../../src/contract/shell-quote.ts'

describe('shellQuote', () => {
  it('hands any text through a shell unchanged', () => {
    const texts = fc.sample(
      fc.string({ unit: 'binary' }).filter((text) => !text.includes('\u0000')),
      { numRuns: 200, seed: 7 },
    )
    const words = [...texts, "it's", '$(id)', '`id`', 'a\nb', '\\', '!!', "$'x'", '\u001b[31m', '\u0085', '-n'].filter(
      isWellFormed,
    )
    const script = `printf '%s\\0' ${words.map(shellQuote).join(' ')}`
    expect(execFileSync('bash', ['-c', script]).toString('utf8').split('\u0000').slice(0, -1)).toEqual(words)
  })

  it('leaves ordinary words alone', () => {
    expect(shellQuote('http://127.0.0.1:4600/api/partner/v1/orders')).toBe(
      'http://127.0.0.1:4600/api/partner/v1/orders',
    )
  })
})

describe('curlCommand', () => {
  const base = {
    method: 'POST',
    url: 'http://127.0.0.1:1/a/../b?x=[1]',
    headers: [
      ['A', 'b c'],
      ['Empty', ''],
    ],
  } as const

  it('keeps path and brackets as they are and sends the body as it stands', () => {
    expect(curlCommand({ ...base, body: '{"a": 1}' })).toBe(
      "curl -sS --globoff --path-as-is -X POST 'http://127.0.0.1:1/a/../b?x=[1]' -H 'A: b c' -H 'Empty;' --data-binary '{\"a\": 1}'",
    )
  })

  it('never lets a body that starts with @ be read as a file name', () => {
    expect(curlCommand({ ...base, body: '@/etc/hostname' })).toContain('--data-raw @/etc/hostname')
  })

  it('reads a body from a file where it is told to', () => {
    expect(curlCommand({ ...base, bodyFile: 'a b.json' })).toContain("--data-binary '@a b.json'")
  })
})

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

/** A lone surrogate cannot be a word of a command line at all. */
function isWellFormed(text: string): boolean {
  return !/\p{Cs}/u.test(text)
}
