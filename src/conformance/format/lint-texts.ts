import { didYouMean, wordsIn } from '../../contract/words.ts'
import type { DocumentPath, Report } from '../yaml/read-yaml.ts'
import {
  ExpressionSyntaxError,
  isSecretOfCredential,
  type Reference,
  referencesIn,
  SECRET_ELSEWHERE,
} from './expressions.ts'
import type { Scenario } from './scenario.ts'

/** Marks each place of a scenario to begin with that a person has to fill in. */
export const FILL_IN = 'TODO'

/** Where a text still asks to be filled in; a word inside another one, or in small letters, is a text like any. */
const MARKER = new RegExp(`^\\s*${FILL_IN}(?:$|[\\s:])`)

/** Whether a value is still what a template had in its place. */
export function asksToBeFilledIn(value: unknown): boolean {
  return typeof value === 'string' && MARKER.test(value)
}

/** First words of `${...}` that are not steps. */
export const BUILT_IN_NAMES = wordsIn(`
  run run_number uuid now vars item sellable listed unlisted live_site topic status model webhook receiver
  credential
`)

interface TextAt {
  text: string
  path: DocumentPath
}

/** Every text in a value, and where it is. */
export function* textsIn(value: unknown, path: DocumentPath = []): Generator<TextAt> {
  if (typeof value === 'string') yield { text: value, path }
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value))
    yield* textsIn(inner, [...path, Array.isArray(value) ? Number(key) : key])
}

/** No text of the template is left: an unfilled text would pass for a check that its author thought about. */
export function lintFilledIn(scenario: Scenario, report: Report): void {
  for (const { text, path } of textsIn(scenario))
    if (asksToBeFilledIn(text))
      report(path, `"${path.at(-1)}" is still to be filled in: write what is asked for in the place of ${FILL_IN}`)
}

/** Expressions can be read, and begin with something that is known there. */
export function lintTemplates(value: unknown, at: DocumentPath, known: ReadonlySet<string>, report: Report): void {
  const names = [...known, ...BUILT_IN_NAMES]
  for (const { text, path } of textsIn(value, at)) {
    for (const [first] of readableReferences(text, (message) => report(path, message))) {
      const name = String(first)
      if (names.includes(name)) continue
      const meant = didYouMean(name, names)
      report(path, `"${name}" in ${text.slice(0, 60)} is neither an earlier step nor a fixture${meant}`)
    }
  }
}

export function lintVars({ vars = {}, steps }: Scenario, report: Report): void {
  const names = Object.keys(vars)
  for (const { text, path } of [...textsIn(steps, ['steps']), ...textsIn(vars, ['vars'])]) {
    for (const [first, second] of readableReferences(text)) {
      const name = String(second)
      if (first === 'vars' && !names.includes(name)) report(path, `no such var: "${name}"${didYouMean(name, names)}`)
    }
  }
}

/** The secret that signs is named only where an answer must not contain it. */
export function lintSecret(scenario: Scenario, report: Report): void {
  for (const { text, path } of textsIn(scenario)) {
    if (!path.includes('lacks') && readableReferences(text).some(isSecretOfCredential)) report(path, SECRET_ELSEWHERE)
  }
}

/** What a text refers to; nothing where it cannot be read. */
function readableReferences(text: string, refuse?: (message: string) => void): readonly Reference[] {
  try {
    return referencesIn(text)
  } catch (error) {
    if (!(error instanceof ExpressionSyntaxError)) throw error
    refuse?.(error.message)
    return []
  }
}
