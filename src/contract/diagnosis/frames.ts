import { type Alternative, upToTwo, type Variation } from './mistake.ts'
import { mistake } from './mistakes.ts'

/** The lines of a canonical string by the names that the document gives them, in their order. */
export const LINE_NAMES = ['METHOD', 'PATH', 'QUERY_STRING', 'TIMESTAMP', 'NONCE', 'BODY_SHA256_HEX'] as const

/** Makes one text of the six lines. */
export type Frame = (lines: readonly string[]) => string

const QUERY_LINE = 2

const JOINTS: Variation<string>[] = [
  { mistake: null, value: '\n' },
  { mistake: mistake('lines-crlf'), value: '\r\n' },
  { mistake: mistake('lines-escaped'), value: '\\n' },
  ...[
    ['nothing', ''],
    ['a space', ' '],
    ['|', '|'],
    ['.', '.'],
    [':', ':'],
    [',', ','],
    ['&', '&'],
  ].map(([words, value = '']) => ({
    mistake: mistake('lines-joined-otherwise', `the lines were joined by ${words} instead of LF`),
    value,
  })),
]

const ENDS: Variation<boolean>[] = [
  { mistake: null, value: false },
  { mistake: mistake('newline-at-end'), value: true },
]

type Rearrange = (lines: readonly string[]) => readonly string[]

const ARRANGEMENTS: Variation<Rearrange>[] = [
  { mistake: null, value: (lines) => lines },
  { mistake: mistake('query-line-missing'), value: (lines) => without(lines, QUERY_LINE) },
  ...swaps(),
  ...LINE_NAMES.flatMap((name, at) => (at === QUERY_LINE ? [] : [missing(name, at)])),
]

function swaps(): Variation<Rearrange>[] {
  return LINE_NAMES.flatMap((first, a) =>
    LINE_NAMES.slice(a + 1).map((second, i) => ({
      mistake: mistake('lines-swapped', `the lines ${first} and ${second} were swapped`),
      value: (lines: readonly string[]) => swapped(lines, a, a + 1 + i),
    })),
  )
}

function missing(name: string, at: number): Variation<Rearrange> {
  return {
    mistake: mistake('line-missing', `the line ${name} was missing`),
    value: (lines) => without(lines, at),
  }
}

function without(lines: readonly string[], at: number): string[] {
  return lines.filter((_, i) => i !== at)
}

function swapped(lines: readonly string[], a: number, b: number): string[] {
  return lines.map((line, i) => (i === a ? (lines[b] as string) : i === b ? (lines[a] as string) : line))
}

/** How the lines become one text rightly, and wrongly with one mistake and with two. */
export const FRAMES: readonly Alternative<Frame>[] = [...upToTwo([ARRANGEMENTS, JOINTS, ENDS] as const)]
  .map(({ values: [arrange, joint, ends], mistakes }) => ({
    value: (lines: readonly string[]) => arrange(lines).join(joint) + (ends ? joint : ''),
    mistakes,
    equally: [],
  }))
  .sort((a, b) => a.mistakes.length - b.mistakes.length)
