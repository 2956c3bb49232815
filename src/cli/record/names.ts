import type { Template } from '../../conformance/scenario.ts'

/**
 * What the values of a recording are called in its scenario: an id that a call was given becomes a reference to that call, so
 * that the scenario runs in any world.
 */
export interface Names {
  /** From now on this text is written as that expression. */
  learn(text: unknown, expression: string): void
  /** Whether anything has a name for it. */
  knows(text: string): boolean
  /** A value with every known text in it replaced, at any depth. */
  rename(value: unknown): Template
}

/** Nothing shorter is taken for an id. */
const SHORTEST = 6

export function createNames(): Names {
  const known = new Map<string, string>()

  function renameText(text: string): string {
    const whole = known.get(text)
    if (whole !== undefined) return `\${${whole}}`
    // Literal text must not be taken for a reference.
    let renamed = text.replaceAll('${', '$${')
    for (const [part, expression] of known) {
      if (part.length >= SHORTEST && renamed.includes(part)) renamed = renamed.replaceAll(part, `\${${expression}}`)
    }
    return renamed
  }

  function rename(value: unknown): Template {
    if (typeof value === 'string') return renameText(value)
    if (Array.isArray(value)) return value.map(rename)
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, rename(inner)]))
    }
    return value as Template
  }

  return {
    learn(text, expression) {
      if (typeof text === 'string' && text !== '' && !known.has(text)) known.set(text, expression)
    },
    knows: (text) => known.has(text),
    rename,
  }
}
