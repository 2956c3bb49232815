import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'
import { shellWords, usageProblem } from './commands.ts'
import {
  anchorsOf,
  type CodeLine,
  handWritten,
  isGenerated,
  linksOf,
  type Page,
  readPages,
  splitCode,
} from './pages.ts'
import { repoRoot } from './repo.ts'
import { avoidedIn } from './words.ts'

const KB = 1024
const PAGES = readPages()
const byPath = new Map(PAGES.map((page) => [page.path, page]))
const written = PAGES.filter((page) => !isGenerated(page))

test('every link of README, AGENTS, docs, CONTRIBUTING and examples leads to a file and a heading that exist', () => {
  expect(PAGES.flatMap((page) => linksOf(page).flatMap((link) => brokenLink(page, link)))).toEqual([])
})

function brokenLink(page: Page, { line, text, file, anchor }: ReturnType<typeof linksOf>[number]): string[] {
  const path = file === '' ? page.path : normalize(join(dirname(page.path), file))
  if (!existsSync(join(repoRoot, path))) return [`${page.path}:${line}: ${text}: no such file`]
  const target = byPath.get(path)
  if (anchor === '' || !target || anchorsOf(target.text).has(anchor)) return []
  return [`${page.path}:${line}: ${text}: no such heading`]
}

test('no page says what words.ts avoids', () => {
  const found = written.flatMap((page) =>
    splitCode(handWritten(page)).prose.flatMap(({ line, text }) =>
      avoidedIn(text).map((words) => `${page.path}:${line}: ${words}`),
    ),
  )
  expect(found).toEqual([])
})

test('README has at most 8 KB, and what a person wrote of a page of docs at most 15 KB', () => {
  const size = (page: Page) => Buffer.byteLength(handWritten(page).replaceAll(/\n{2,}/g, '\n\n'))
  expect(size(byPath.get('README.md') as Page)).toBeLessThanOrEqual(8 * KB)
  const pages = written.filter(({ path }) => path.startsWith('docs/'))
  expect(pages.filter((page) => size(page) > 15 * KB).map((page) => `${page.path}: ${size(page)} bytes`)).toEqual([])
})

test('a page of docs of more than two screens has a table of contents with all of its sections', () => {
  const long = written.filter(({ path, text }) => path.startsWith('docs/') && text.split('\n').length > 80)
  expect(long.filter(({ text }) => !text.includes('On this page: ')).map(({ path }) => path)).toEqual([])
  const missing = long.flatMap(({ path, text }) => {
    const contents = /^On this page: [\s\S]*?\n\n/m.exec(text)?.[0] ?? ''
    const sections = [...text.matchAll(/^## (.*)/gm)].map(([, title = '']) => title)
    return sections
      .filter((title) => !contents.includes(`(#${[...anchorsOf(`## ${title}`)][0]})`))
      .map((title) => `${path}: ${title}`)
  })
  expect(missing).toEqual([])
})

test('every command of ours in README, docs, CONTRIBUTING and examples has a name and flags that the program knows', async () => {
  const lines = written.flatMap(commandLines)
  expect(lines.length).toBeGreaterThan(150)
  const problems = await Promise.all(
    lines.map(async ({ where, words }) => {
      const problem = await usageProblem(words)
      return problem ? [`${where}: ${words.join(' ')}: ${problem}`] : []
    }),
  )
  expect(problems.flat()).toEqual([])
})

/** Each call of the program in code, blocks and spans alike. */
function commandLines(page: Page): { where: string; words: string[] }[] {
  const { code, spans } = splitCode(page.text)
  const called = /(?:^|[\s(!])(?:npx |node bin\/)?partner-sandbox(?:\.js)? (?=[a-z-])(.*)/s
  return [...joined(code), ...spans.filter(({ text }) => /^(?:npx )?partner-sandbox /.test(text))].flatMap(
    ({ line, text }) => {
      const [, rest] = called.exec(text) ?? []
      return rest === undefined ? [] : [{ where: `${page.path}:${line}`, words: shellWords(rest) }]
    },
  )
}

/** Lines that end in a backslash, with those that follow. */
function joined(lines: readonly CodeLine[]): CodeLine[] {
  const whole: CodeLine[] = []
  let isOpen = false
  for (const { line, text } of lines) {
    const last = whole.at(-1)
    if (isOpen && last) whole[whole.length - 1] = { line: last.line, text: `${last.text.slice(0, -1)}${text}` }
    else whole.push({ line, text })
    isOpen = text.endsWith('\\')
  }
  return whole
}

test('every script that pages run is one of package.json', () => {
  const { scripts } = JSON.parse(readFileSync(join(repoRoot, 'package.json'), 'utf8'))
  const named = PAGES.flatMap(({ path, text }) =>
    [...text.matchAll(/\bnpm run (?:--silent )?([\w:]+)/g)].map(([, script = '']) => ({ path, script })),
  )
  expect(named.filter(({ script }) => !(script in scripts))).toEqual([])
})
