import { isObject } from '../../contract/is-object.ts'
import { closestTo, didYouMean } from '../../contract/words.ts'
import type { DocumentPath, Report } from '../yaml/read-yaml.ts'
import type { Expectation } from './expectations/expectation.ts'
import { isRole, ROLES } from './roles.ts'
import { CONDITIONS, type Matcher, VALUE_TYPES } from './values.ts'

/** The conditions of an expectation exist and have values that can hold: a misspelled one would be compared as an object, and never hold. */
export function lintMatchers(expectation: Expectation, at: DocumentPath, report: Report): void {
  for (const [path, matcher] of matchersIn(expectation)) {
    lintMatcher(matcher, [...at, ...path], report)
    const type = typeAt(path)
    if (type === null) continue
    const conditions = isObject(matcher) ? Object.entries(matcher) : [[null, matcher] as const]
    for (const [name, wanted] of conditions) {
      if (name !== null && !COMPARING.includes(name)) continue
      const values = name !== 'one_of' ? [wanted] : Array.isArray(wanted) ? wanted : []
      const wrong = values.find((value) => isOtherType(value, type))
      if (wrong === undefined) continue
      report(
        [...at, ...path, ...(name === null ? [] : [name])],
        `${path.at(-1)} is ${TYPE_WORDS[type]}, not ${JSON.stringify(wrong)}`,
      )
    }
  }
}

/** Conditions whose value is of the type of what it is compared with. */
const COMPARING = ['equals', 'not', 'one_of', 'at_least', 'at_most']

const TYPE_WORDS = { string: 'a string', number: 'a number', boolean: 'true or false' } as const

const FLAGS_OF_DELIVERY = ['signed', 'given_up', 'counted_as_failed', 'in_history'].map((fact) => `delivery.${fact}`)

/** The type that the value at a place has in any target; null if that is not known. */
function typeAt(path: DocumentPath): keyof typeof TYPE_WORDS | null {
  const [key] = path
  const name = String(path.at(-1))
  if (key === 'count') return 'number'
  if (key === 'headers') return 'string'
  if (name === 'page.sells' || FLAGS_OF_DELIVERY.includes(name)) return 'boolean'
  if (/(?:^|\.)order\.sale_price_cents$/.test(name)) return 'number'
  if (!isRole(name)) return null
  const { kind } = ROLES[name]
  return kind === 'money' ? 'number' : kind === 'flag' ? 'boolean' : null
}

/** Whether a value that a scenario writes can never be what is there; a reference may lead to any. */
function isOtherType(value: unknown, type: keyof typeof TYPE_WORDS): boolean {
  if (typeof value === 'string' && value.includes('${')) return false
  return ['string', 'number', 'boolean'].includes(typeof value) && typeof value !== type
}

function matchersIn(expectation: Expectation): [path: DocumentPath, matcher: Matcher][] {
  const { count, same_as: sameAs, unless, judge } = expectation
  const rule = isObject(judge) && 'every_order_of_run' in judge ? judge.every_order_of_run : undefined
  const records: [DocumentPath, Record<string, Matcher> | undefined][] = [
    ...(['roles', 'headers', 'every', 'includes', 'excludes'] as const).map(
      (key): [DocumentPath, Record<string, Matcher> | undefined] => [[key], expectation[key]],
    ),
    [['same_as', 'where'], typeof sameAs === 'object' ? sameAs.where : undefined],
    [['unless', 'has'], unless?.has],
    [['judge', 'every_order_of_run', 'where'], rule?.where],
  ]
  const each = records.flatMap(([path, record]) =>
    Object.entries(record ?? {}).map(([name, matcher]): [DocumentPath, Matcher] => [[...path, name], matcher]),
  )
  return count === undefined ? each : [[['count'], count], ...each]
}

function lintMatcher(matcher: Matcher, at: DocumentPath, report: Report): void {
  if (!isObject(matcher)) return
  const names = Object.keys(matcher)
  if (names.length === 0) report(at, `this asks for nothing; ${AS_OBJECT}`)
  // Where none of them is nearly a condition, an object was meant, which is said once.
  if (names.length > 1 && names.every((name) => closestTo(name, CONDITIONS) === null)) {
    report(at, `no member of this is a condition; ${AS_OBJECT}`)
    return
  }
  for (const [name, wanted] of Object.entries(matcher)) {
    const condition = CONDITIONS.find((one) => one === name)
    if (condition === undefined) {
      const near = didYouMean(name, CONDITIONS)
      report(
        [...at, name],
        `"${name}" is not a condition${near === '' ? `; use ${CONDITIONS.join(', ')}; ${AS_OBJECT}` : near}`,
      )
    } else if (condition === 'length') lintMatcher(wanted as Matcher, [...at, name], report)
    else {
      const why = wrongWith(condition, wanted)
      if (why !== null) report([...at, name], why)
    }
  }
}

const AS_OBJECT = 'to compare with an object, use equals: { ... }'

/** Why a condition never holds with this value; null if it may. */
function wrongWith(condition: (typeof CONDITIONS)[number], wanted: unknown): string | null {
  // What a reference leads to is not known before the run.
  if (typeof wanted === 'string' && wanted.includes('${')) return null
  switch (condition) {
    case 'matches':
      return typeof wanted === 'string' ? wrongPattern(wanted) : 'matches takes a regular expression, such as "^ord_"'
    case 'type':
      return (VALUE_TYPES as readonly unknown[]).includes(wanted)
        ? null
        : `"${wanted}" is not a type: use ${VALUE_TYPES.join(', ')}${didYouMean(String(wanted), VALUE_TYPES)}`
    case 'one_of':
      return Array.isArray(wanted) && wanted.length > 0 ? null : 'one_of takes a list of values, such as [a, b]'
    case 'present':
      return typeof wanted === 'boolean' ? null : 'present takes true or false'
    case 'at_least':
    case 'at_most':
      return ['number', 'string'].includes(typeof wanted) ? null : `${condition} takes a number or a time`
    default:
      return null
  }
}

function wrongPattern(pattern: string): string | null {
  try {
    new RegExp(pattern, 'u')
    return null
  } catch {
    return `"${pattern.slice(0, 60)}" is not a valid regular expression`
  }
}
