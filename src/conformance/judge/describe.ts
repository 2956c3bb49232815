import type { ScenarioRun } from '../context/run.ts'
import { describeMatcher, shown } from '../format/matcher.ts'
import type { Expectation, Matcher, Step, Template } from '../format/scenario.ts'
import { describeRefusal } from './judge-refusal.ts'
import { filled } from './references.ts'

/** The same with its values filled in, where they can be had. */
export function expectationInWords(scenarioRun: ScenarioRun, expectation: Expectation, step: Step): string {
  return describeExpectation(filledWherePossible(scenarioRun, expectation as unknown as Template) as Expectation, step)
}

function filledWherePossible(scenarioRun: ScenarioRun, template: Template): unknown {
  if (typeof template === 'object' && template !== null) {
    const entries = Object.entries(template).map(([key, inner]) => [key, filledWherePossible(scenarioRun, inner)])
    return Array.isArray(template) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries)
  }
  try {
    return filled(scenarioRun, template)
  } catch {
    return template
  }
}

/**
 * An expectation in one line, as reports show it.
 *
 * @param step the one that expects it: it decides what is counted.
 * @example describeExpectation({ refused: 'price_mismatch' }) // 'refused: 422 price_mismatch'
 */
export function describeExpectation(expectation: Expectation, step: Step = {}): string {
  if (expectation.says !== undefined) return expectation.says
  const parts: string[] = []
  if (expectation.accepted) parts.push('accepted (any 2xx)')
  if (expectation.authenticated) parts.push('not refused for its signature')
  if (expectation.key_pair) parts.push('a key id pk_WORD_... whose secret is sk_WORD_..., with the same word')
  if (expectation.refused !== undefined) parts.push(describeRefusal(expectation))
  else if (expectation.status !== undefined) parts.push(`status ${String(expectation.status)}`)
  parts.push(...matchersInWords(expectation.roles), ...matchersInWords(expectation.headers))
  if (expectation.same_as !== undefined) parts.push(sameness(expectation.same_as))
  if (expectation.equal) parts.push(`equal: ${expectation.equal.map(shown).join(', ')}`)
  if (expectation.differ) parts.push(`all different: ${expectation.differ.map(shown).join(', ')}`)
  parts.push(...thingsInWords(expectation, countedBy(expectation, step)))
  if (expectation.matches !== undefined) parts.push(`a body that matches ${expectation.matches}`)
  if (expectation.hides_cause) parts.push('nothing of its cause in the answer')
  if (expectation.lacks !== undefined) parts.push('no secret in the answer')
  return parts.join('; ') || 'accepted (any 2xx)'
}

/** The things that an expectation about several things names, in the plural. */
function countedBy({ items, among }: Expectation, step: Step): string {
  if (items !== undefined) return items
  if (among !== undefined) return among === 'all' ? 'answers' : `${among.replace('_', ' ')} answers`
  if (step.receive !== undefined || step.quiet?.hook !== undefined) return 'deliveries'
  if (step.events !== undefined || step.quiet !== undefined) return 'events'
  return step.burst === undefined ? 'items' : 'accepted answers'
}

function thingsInWords(expectation: Expectation, counted: string): string[] {
  // Roles are named as they are; a plain word takes an article.
  const of = expectation.items ?? `the ${counted}`
  const parts: string[] = []
  const count: Matcher | undefined =
    expectation.count ?? (expectation.at_most === undefined ? undefined : { at_most: expectation.at_most })
  const what =
    expectation.distinct === undefined ? `the number of ${counted}` : `the number of different ${expectation.distinct}`
  if (count !== undefined) parts.push(`${what} ${describeMatcher(count)}`)
  if (expectation.every) parts.push(`each of ${of}: ${matchersInWords(expectation.every).join(', ')}`)
  if (expectation.includes) parts.push(`one of ${of}: ${matchersInWords(expectation.includes).join(', ')}`)
  if (expectation.excludes) parts.push(`none of ${of}: ${matchersInWords(expectation.excludes).join(', ')}`)
  if (expectation.sorted)
    parts.push(`${of} in ${expectation.sorted.order ?? 'ascending'} order of ${expectation.sorted.by}`)
  if (expectation.sums) parts.push(`${expectation.sums.of} of ${of} adds up to ${shown(expectation.sums.to)}`)
  if (expectation.running)
    parts.push(`${expectation.running.is} of each of ${of} is the sum of ${expectation.running.of} so far`)
  return parts
}

function matchersInWords(matchers: Record<string, Matcher> | undefined): string[] {
  return Object.entries(matchers ?? {}).map(([name, matcher]) => `${name} ${describeMatcher(matcher)}`)
}

function sameness(wish: NonNullable<Expectation['same_as']>): string {
  if (typeof wish === 'string') return `the same answer as ${wish}`
  const by = wish.roles ? wish.roles.join(', ') : (wish.by ?? 'json')
  return `${wish.unlike ? 'another' : 'the same'} answer ${wish.unlike ? 'than' : 'as'} ${wish.step} (${by})`
}
