import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { OPERATOR_ACTIONS } from '../../src/conformance/format/operator-actions.ts'
import { parseTarget } from '../../src/conformance/target/load-target.ts'
import { BODY_NAMES, TARGET_SCHEMA } from '../../src/conformance/target/target-schema.ts'

const text = readFileSync('docs/judging-a-target.md', 'utf8')
const another = { name: 'another-style.yaml', yaml: readFileSync('docs/examples/another-style.yaml', 'utf8') }
const files = [...text.matchAll(/```yaml\n# (\S+)\n([\s\S]*?)```/g)].map(([, name = '', yaml = '']) => ({ name, yaml }))

/** Loads a file of the page, with a value for every variable that it names. */
function loaded({ name, yaml }: { name: string; yaml: string }): ReturnType<typeof parseTarget> {
  const variables = [...yaml.matchAll(/\$\{env:(\w+)\}/g)].map(([, variable = '']) => variable)
  const env = Object.fromEntries(variables.map((variable) => [variable, valueFor(variable)]))
  return parseTarget(yaml, name, env)
}

function valueFor(variable: string): string {
  return variable.endsWith('KEY_ID') ? 'pk_test_1' : 'sk_test_1'
}

interface Keyed {
  properties?: Record<string, Keyed>
  items?: Keyed
}

/** Every key below the top of the schema, as a person would look for it. */
function keysOf(schema: Keyed): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, inner]) => [
    key,
    ...keysOf(inner),
    ...keysOf(inner.items ?? {}),
  ])
}

describe('docs/judging-a-target.md', () => {
  it('has the shortest file and a complete one', () => {
    expect(files.map(({ name }) => name)).toEqual(['sandbox.yaml', 'staging.yaml'])
  })

  it.each([...files, another])('$name is a correct target file', (file) => {
    expect(loaded(file).problems).toEqual([])
  })

  it('shows every part of a target in its complete file', () => {
    const top = Object.keys((TARGET_SCHEMA.json as Keyed).properties ?? {})
    const complete = files.at(-1)?.yaml ?? ''
    expect(top.filter((key) => !new RegExp(`^${key}:`, 'm').test(complete))).toEqual([])
  })

  it('explains every key, operator action and what fills it, and every body', () => {
    const words = new Set(text.match(/[a-z_]+/g))
    const fills = Object.values(OPERATOR_ACTIONS).flatMap((row) => [...row.fills])
    const wanted = keysOf(TARGET_SCHEMA.json as Keyed)
      .concat(Object.keys(OPERATOR_ACTIONS), fills, BODY_NAMES)
      .flatMap((key) => key.split('.'))
    expect(wanted.filter((word) => !words.has(word))).toEqual([])
  })
})

describe('the schema of target files', () => {
  it('has a description and a valid example at every key', () => {
    const ajv = new Ajv({ strict: false })
    const problems = nodesOf(TARGET_SCHEMA.json as Shown, '').flatMap(
      ([path, { description, examples = [], ...rest }]) => {
        if (!description || examples.length === 0) return [`${path} has no description, or no example`]
        const check = ajv.compile(rest)
        return examples.every((example) => check(example)) ? [] : [`${path} has an example that is not valid`]
      },
    )
    expect(problems).toEqual([])
  })
})

interface Shown {
  description?: string
  examples?: unknown[]
  properties?: Record<string, Shown>
  items?: Shown
}

function nodesOf({ properties = {}, items }: Shown, path: string): [string, Shown][] {
  const inner = Object.entries(properties).flatMap(([key, node]): [string, Shown][] => [
    [`${path}/${key}`, node],
    ...nodesOf(node, `${path}/${key}`),
  ])
  return items ? [...inner, ...nodesOf(items, `${path}[]`)] : inner
}
