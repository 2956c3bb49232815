import type { ScenarioRun } from '../context/run.ts'
import { newReading, type Reading, unitAt } from '../dialect/money.ts'
import type { Check } from '../format/expectations/check.ts'
import { type Expectation, wishesOf } from '../format/expectations/expectation.ts'
import { shown } from '../format/matcher.ts'

/**
 * A check, and for a failure what it rests on. If another unit of some amount explains the failure, it is a question to the
 * reader. If it rests on places that the runner found without a hint, it says so.
 */
export function inDoubt(
  scenarioRun: ScenarioRun,
  expectation: Expectation,
  judgeOnce: (reading: Reading) => Check,
): Check {
  const { dialect } = scenarioRun.run
  const known = dialect.units.at.size
  const reading = newReading()
  const first = judgeOnce(reading)
  // A fraction further down shows the unit of what was read before it.
  if (first.verdict === 'fail' && dialect.units.at.size > known) return inDoubt(scenarioRun, expectation, judgeOnce)
  if (first.verdict === 'pass' && compares(expectation))
    for (const place of reading.guessed) dialect.confirmed.add(place)
  if (first.verdict !== 'fail' || first.certain) return first
  const question = unitQuestion(scenarioRun, reading, judgeOnce)
  if (question !== null) return { verdict: 'not_run', reason: 'needs-dialect', actual: first.actual, note: question }
  return reading.guessed.size === 0 ? first : { ...first, waitsFor: { places: [...reading.guessed] } }
}

/** More places than these are not tried in every combination. */
const MOST_PLACES = 4

/** What to ask where a factor of 100 in some of the amounts is all that is wrong; null if it is not. */
function unitQuestion(
  { run: { dialect } }: ScenarioRun,
  { open }: Reading,
  judgeOnce: (reading: Reading) => Check,
): string | null {
  const places = [...open].slice(0, MOST_PLACES)
  for (let chosen = 1; chosen < 2 ** places.length; chosen++) {
    const others = places.filter((_, index) => chosen & (1 << index))
    const supposed = new Map(
      others.map((place) => [place, unitAt(dialect.units, place) === 'units' ? 'cents' : 'units']),
    )
    const reading = newReading(supposed as Reading['supposed'])
    if (judgeOnce(reading).verdict === 'pass') return questionOf(supposed, reading)
  }
  return null
}

function questionOf(supposed: ReadonlyMap<string, string>, { fitted }: Reading): string {
  const asked = [...supposed].map(([place, unit]) => {
    const said = unit === 'units' ? 'whole units, such as dollars' : 'cents'
    return `is ${place} in ${said}? If so, write { at: ..., unit: ${unit} } for it under dialect.roles`
  })
  const nearest = fitted === undefined ? '' : `; the nearest item: ${shown(fitted)}`
  return `the value seen and the value expected differ by a factor of 100. ${asked.join('. ')}${nearest}`
}

/**
 * Whether an expectation that holds shows its places to be right: a value that merely is there, or that is the same as in an earlier
 * answer, says nothing of the kind.
 */
function compares(expectation: Expectation): boolean {
  return wishesOf(expectation).some(({ kind, wanted }) => kind.compares(wanted))
}
