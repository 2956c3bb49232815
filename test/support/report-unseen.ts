import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openApiDocument } from '../../src/sandbox/openapi/document.ts'
import { SEEN_FOLDER } from './seen-folder.ts'

/**
 * Says at the end of a whole run which documented answers no test has seen. Nothing fails for it: some can hardly be
 * had. A run of chosen files says nothing.
 */
export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'seen-'))
  process.env[SEEN_FOLDER] = folder
  return () => {
    const seen = seenIn(folder)
    rmSync(folder, { recursive: true })
    if (isWholeRun()) process.stderr.write(report(documentedAnswers().filter((line) => !seen.has(line))))
  }
}

/** `vitest run` with nothing that chooses files or tests. */
function isWholeRun(): boolean {
  const words = process.argv.slice(2).join(' ').replace('--project inside', '').split(' ')
  return words.every((word) => word === '' || word === 'run' || /^--(?:reporter|output)/.test(word))
}

/** Every operation with each status it may be answered with, such as `pricing 404`. */
export function documentedAnswers(): string[] {
  const operations = Object.values(openApiDocument().paths).flatMap((path) => Object.values(path as object)) as {
    operationId: string
    responses: object
  }[]
  return operations.flatMap(({ operationId, responses }) =>
    Object.keys(responses).map((status) => `${operationId} ${status}`),
  )
}

function seenIn(folder: string): Set<string> {
  const texts = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'))
  return new Set(texts.join('').split('\n'))
}

function report(unseen: readonly string[]): string {
  const operationsOf: Record<string, string[]> = {}
  for (const line of unseen) {
    const [operation = '', status = ''] = line.split(' ')
    operationsOf[status] = [...(operationsOf[status] ?? []), operation]
  }
  const lines = Object.entries(operationsOf).map(([status, operations]) => `  ${status}  ${operations.join(' ')}\n`)
  return `\n${unseen.length} documented answers that no test has seen${lines.length > 0 ? ':' : ''}\n${lines.join('')}`
}
