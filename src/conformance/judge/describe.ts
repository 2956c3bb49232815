import type { ScenarioRun } from '../context/run.ts'
import { type Expectation, wishesOf } from '../format/expectations/expectation.ts'
import type { Step, Template } from '../format/scenario.ts'
import { producedBy } from '../format/step-facts.ts'
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
  const counted = countedBy(expectation, step)
  // Roles are named as they are; a plain word takes an article.
  const about = { ...expectation, counted, of: expectation.items ?? `the ${counted}` }
  const wishes = wishesOf(expectation)
  const outcome = wishes.find(({ kind }) => 'outcome' in kind.judge)
  const told = wishes.filter((wish) => wish === outcome || !('outcome' in wish.kind.judge))
  return told.flatMap(({ kind, wanted }) => kind.words(wanted, about)).join('; ') || 'accepted (any 2xx)'
}

/** The things that an expectation about several things names, in the plural. */
function countedBy({ items, among }: Expectation, step: Step): string {
  if (items !== undefined) return items
  if (among !== undefined) return among === 'all' ? 'answers' : `${among.replace('_', ' ')} answers`
  const produced = producedBy(step)
  if (produced === 'answers') return 'accepted answers'
  return produced === 'events' || produced === 'deliveries' ? produced : 'items'
}
