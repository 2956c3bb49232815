import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repoFiles, repoRoot } from './repo.ts'
import { avoidedIn } from './words.ts'

/** Comments, and string literals. What stands in `${...}` is code. */
const TEXTS = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/gm

/** Texts that keep old words, and why. */
const KEPT: readonly [RegExp, string][] = [
  [/^src\/storage\/schema\.ts/, 'comments of SQL are part of the schema that a stored world is compared with'],
  [/^src\/proof\/self-test\/(?:bad-responses|tampering-proxy)\.ts/, 'bad servers are chosen by these names'],
  [/mishap/, 'a JSON key of the request log'],
]

function textsIn(code: string): string[] {
  return (code.match(TEXTS) ?? [])
    .filter((text) => /^\/[*/]/.test(text) || /\s/.test(text))
    .map((text) => (text.startsWith('`') ? text.replaceAll(/\$\{[^}]*\}/g, '') : text.replaceAll(/`[^`]*`/g, '')))
}

test('comments and messages of the code use the words of the documentation', () => {
  const code = repoFiles('src').filter((file) => /\.tsx?$/.test(file))
  const found = code.flatMap((file) =>
    textsIn(readFileSync(join(repoRoot, file), 'utf8')).flatMap((text) =>
      avoidedIn(text).map((words) => `${file}: ${words}: ${text.slice(0, 80)}`),
    ),
  )
  expect(found.filter((line) => !KEPT.some(([kept]) => kept.test(line)))).toEqual([])
})
