import type { PageFacts } from './page-facts.ts'
import { withCommas } from './texts.ts'
import { type Kind, kindOf, markOfScenario } from './words.tsx'

const WORDS: Readonly<Record<Exclude<Kind, 'other'>, string>> = {
  failed: 'Failed',
  doubt: 'Inconclusive',
  untested: 'Not run',
  passed: 'Passed',
}

/** What a reader can choose by. The style sheet has a rule for each. */
export const FILTERS = Object.entries(WORDS)

/** Choices that the style sheet looks at, so that no script is needed, and a search, which needs one. */
export function Controls({ facts }: { facts: PageFacts }) {
  const kinds = facts.run.scenarios.map((scenario) => kindOf(markOfScenario(scenario)))
  const choices = FILTERS.map(([kind, word]) => [kind, word, kinds.filter((one) => one === kind).length] as const)
  const present = choices.filter(([, , count]) => count > 0)
  return (
    <div class="controls">
      <fieldset class="filters">
        <legend class="unseen">Show scenarios and requirements</legend>
        {[['all', 'All', kinds.length] as const, ...present].map(([kind, word, count]) => (
          <span key={kind}>
            <input type="radio" name="kind" id={`f-${kind}`} checked={kind === 'all'} />
            <label for={`f-${kind}`}>
              {word} <b>{withCommas(count)}</b>
            </label>
          </span>
        ))}
      </fieldset>
      <p class="search" hidden>
        <label for="search">Search</label> <input type="search" id="search" placeholder="id, text, answer" />
      </p>
      <output id="found" for="search" />
    </div>
  )
}
