import { anything, partial, string, type TypeOf, withExamples } from '../../../contract/schema.ts'
import { describeMatcher, matchersInWords, matches, shown } from '../matcher.ts'
import { MATCHERS, type Matcher, type Matchers, type Template } from '../values.ts'
import { type Check, failure } from './check.ts'
import { always, type Beside, comparesAny, keysAsRoles, kind, never, type ThingsSeen, valuesOf } from './kind.ts'
import { nearestRow, sumDifference } from './nearest-row.ts'

const SUMS = partial(
  'A role of the items adds up.',
  { of: string('Role of an item.'), to: anything<Template>('The sum.') },
  { required: ['of', 'to'] },
)

/** What several things have to be: items of a list, events, deliveries, answers of calls that were made at once. */
export const THINGS = {
  distinct: kind<string>({
    schema: withExamples(
      string(
        'Count different values of this role (or path in an event) rather than things; all of them, without a count.',
      ),
      'order.public_id',
    ),
    roles: (wanted) => [[[], wanted]],
    judge: { things: (seen, wanted, { count }) => (count === undefined ? judgeCount(seen, seen.size, wanted) : null) },
    words: (wanted, { count, of }) => (count === undefined ? [`a different ${wanted} for each of ${of}`] : []),
    compares: always,
  }),

  count: kind<Matcher>({
    schema: withExamples(
      anything<Matcher>('How many items, events, answers, or distinct values: a number or conditions.'),
      1,
      { at_least: 2 },
    ),
    roles: () => [],
    judge: { things: (seen, wanted, { distinct }) => judgeCount(seen, wanted, distinct) },
    words: (wanted, { distinct, counted }) => [
      `the number of ${distinct === undefined ? counted : `different ${distinct}`} ${describeMatcher(wanted)}`,
    ],
    compares: always,
  }),

  every: kind<Matchers>({
    schema: withExamples(MATCHERS, { 'delivery.signed': true }),
    roles: keysAsRoles,
    judge: { things: every },
    words: (wanted, { of }) => [`each of ${of}: ${matchersInWords(wanted).join(', ')}`],
    compares: comparesAny,
  }),

  includes: kind<Matchers>({
    schema: withExamples(MATCHERS, { 'order.public_id': '${made.order.public_id}' }),
    roles: keysAsRoles,
    judge: { things: judgePresence },
    words: (wanted, { of }) => [`one of ${of}: ${matchersInWords(wanted).join(', ')}`],
    compares: comparesAny,
  }),

  excludes: kind<Matchers>({
    schema: withExamples(MATCHERS, { 'order.public_id': '${other.order.public_id}' }),
    roles: keysAsRoles,
    judge: { things: judgeAbsence },
    words: (wanted, { of }) => [`none of ${of}: ${matchersInWords(wanted).join(', ')}`],
    compares: never,
  }),

  sums: kind<TypeOf<typeof SUMS>>({
    schema: withExamples(SUMS, { of: 'transaction.amount', to: '${report.transactions.gmv}' }),
    roles: ({ of }) => [[['of'], of]],
    judge: { things: judgeSum },
    words: (wanted, { of }) => [`${wanted.of} of ${of} adds up to ${shown(wanted.to)}`],
    compares: always,
  }),
}

function judgeCount(seen: ThingsSeen, wanted: Matcher, distinct: Beside['distinct']): Check | null {
  const { name, size } = seen
  const found = distinct === undefined ? null : valuesOf(seen, distinct)
  if (found && 'complaint' in found) return found.complaint
  const count = found ? new Set(found.values.map((value) => JSON.stringify(value))).size : size
  if (matches(count, seen.fill(wanted as Template) as Matcher)) return null
  return failure(`${count} ${found ? `different ${distinct} among ${size} ${name}` : name}`)
}

/** Every one of them fits; the first that does not is named. */
export function every(seen: ThingsSeen, wanted: Matchers): Check | null {
  for (let index = 0; index < seen.size; index++) {
    const complaint = seen.judge(index, wanted)
    if (complaint)
      return { ...complaint, actual: `number ${index + 1} of ${seen.size} ${seen.name}: ${complaint.actual}` }
  }
  return null
}

function judgePresence(seen: ThingsSeen, wanted: Matchers): Check | null {
  const complaints: Check[] = []
  for (let index = 0; index < seen.size; index++) {
    const complaint = seen.judge(index, wanted)
    if (complaint === null) return null
    complaints.push(complaint)
  }
  return (
    complaints.find(({ verdict }) => verdict === 'not_run') ??
    failure(`none of ${seen.size} ${seen.name} fits`, nearestRow(seen, wanted))
  )
}

function judgeAbsence(seen: ThingsSeen, wanted: Matchers): Check | null {
  const complaints = Array.from({ length: seen.size }, (_, index) => seen.judge(index, wanted))
  const hit = complaints.indexOf(null)
  if (hit !== -1) return failure(`number ${hit + 1} of ${seen.size} ${seen.name} should not be there`)
  // Where nothing could be looked into, nothing was seen to be absent.
  const [first = null] = complaints
  return complaints.every((complaint) => complaint?.verdict === 'not_run') ? first : null
}

function judgeSum(seen: ThingsSeen, { of, to }: TypeOf<typeof SUMS>): Check | null {
  const found = valuesOf(seen, of)
  if ('complaint' in found) return found.complaint
  const values = found.values.map(Number)
  const sum = values.reduce((total, value) => total + value, 0)
  const wanted = seen.fill(to)
  if (Number(wanted) === sum) return null
  const actual = `${seen.size} ${seen.name} add up to ${sum}, not to ${shown(wanted)}`
  return failure(actual, sumDifference(values, Number(wanted)))
}
