import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repoFiles, repoRoot } from './repo.ts'

/** Of TypeScript, and of SQL in its texts. */
const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*|(?<=^|\s)-- .*/gm
/** A file of code or a page of docs by any name, and files of data by their path: users have files called `target.yaml`. */
const FILE = /(?<![\w./*$}>-])(?:[\w./-]*\w{2,}\.(?:tsx?|mjs|md)|\.*[\w./-]+\/[\w.-]+\.(?:ya?ml|json|html|css|txt))\b/g
const RULE = /\bhouse rules? \d+/gi

/** Names in comments of files that are a user's, or that a test makes. */
const OTHERS = ['src/vitest-global-setup.ts: test/global-setup.ts']

test('a comment names no file, page or numbered rule that is not in the repository', () => {
  const files = repoFiles('.')
  const names = new Set(files.flatMap((file) => file.split('/').map((_, at, parts) => parts.slice(at).join('/'))))
  const isThere = (name: string) => names.has(name.replace(/^(?:\.{1,2}\/)+/, ''))
  const code = files.filter((file) => /^(?:src|test|bench)\/.*\.tsx?$/.test(file))
  const found = code.flatMap((file) =>
    (readFileSync(join(repoRoot, file), 'utf8').match(COMMENT) ?? []).flatMap((comment) =>
      [...(comment.match(FILE) ?? []).filter((name) => !isThere(name)), ...(comment.match(RULE) ?? [])].map(
        (name) => `${file}: ${name}`,
      ),
    ),
  )
  expect(found.filter((line) => !OTHERS.includes(line))).toEqual([])
})
