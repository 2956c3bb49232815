import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { printfOf, shellQuote } from '../../src/contract/shell-quote.ts'
import { anyCharacter } from '../support/any-character.ts'
import { INSTALLED_SHELLS } from '../support/shells.ts'
import { size } from '../support/size.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** Each is a command that runs, or another word, if a shell reads it in a way of its own. */
const HOSTILE_WORDS = [
  ...[
    "it's",
    '',
    ' ',
    '=ls',
    '~',
    '*',
    '#',
    '!!',
    '!x',
    '-n',
    '--',
    'a=b',
    '{a,b}',
    '$(touch RAN)',
    '`touch RAN`',
    '\\',
  ],
  ...[
    '$HOME',
    '"',
    '%s',
    '&& touch RAN',
    '\\\\',
    "\\'",
    "\\\\'; touch RAN #",
    "a\\'; touch RAN #",
    "$'x'",
    'a\\',
    '\\\n',
  ],
  ...[
    '{\n "note": "it\'s; touch RAN #"\n}',
    "\u0080'; touch RAN #",
    "'\u0080; touch RAN #",
    '\u0003\ntouch RAN\n',
    '\n',
    '\n\n',
  ],
  ...[
    '\u001b[201~\ntouch RAN\n',
    '\u001b[31m',
    'a\tb',
    '\r\n',
    '\u0085',
    '\u009b',
    '\u202egnp.exe',
    '\u2066',
    '\u007f',
  ],
  ...['é 日本 😀', '\\\u0001', "'\u0001'", '\u0001\n', '\\n', '\\033', '\\x41', "\u0001'\\\u0002\\"],
]

function printed(start: readonly [string, ...string[]], script: string, cwd: string): string[] {
  const [program, ...args] = start
  const out = execFileSync(program, args, { input: script, cwd, stdio: ['pipe', 'pipe', 'inherit'] })
  return out.toString('utf8').split('\u0000').slice(0, -1)
}

describe.each(INSTALLED_SHELLS)('in $name', ({ start }) => {
  it('a quoted word is the same word, and nothing in it runs', () => {
    const folder = tempFolder()
    const texts = fc.sample(fc.string({ unit: anyCharacter }), { numRuns: size(300, 3_000), seed: 7 })
    const words = [...HOSTILE_WORDS, ...texts].filter((text) => !text.includes('\u0000') && !/\p{Cs}/u.test(text))
    expect(printed(start, `printf '%s\\0' ${words.map(shellQuote).join(' ')}\n`, folder)).toEqual(words)
    expect(readdirSync(folder)).toEqual([])
  })

  it('bytes are printed as they are', () => {
    const [program, ...args] = start
    const bytes = Buffer.from(Array.from({ length: 512 }, (_, at) => at % 256))
    expect(execFileSync(program, args, { input: `${printfOf(bytes)}\n` })).toEqual(bytes)
  })
})

describe('shellQuote', () => {
  it('leaves ordinary words alone', () => {
    const url = 'http://127.0.0.1:4600/api/partner/v1/orders'
    expect(shellQuote(url)).toBe(url)
  })

  it('shows text as it is, and as octal what a terminal would obey or hide', () => {
    expect(shellQuote("it's\nGrüße")).toBe("'it'\\''s\nGrüße'")
    expect(shellQuote('a\tb\u202e')).toBe(`'a'"$(printf '\\011')"'b'"$(printf '\\342\\200\\256')"`)
  })
})
