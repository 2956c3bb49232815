import { anything, partial, string, type TypeOf, withExamples } from '../../../contract/schema.ts'
import { counted } from '../../../contract/words.ts'
import { isRole } from '../roles.ts'
import { isUndone } from '../state-words.ts'
import { describeMatcher, MATCHERS, type Matcher, matchersInWords, matches, shown, type Template } from '../values.ts'
import { type Check, failure, unproven } from './check.ts'
import { type Beside, byCurrency, type ExpectationKind, keysAsRoles, type ThingsSeen, valuesOf } from './kind.ts'

const SUMS = partial(
  'A role of the items adds up.',
  { of: string('Role of an item.'), to: anything<Template>('The sum.') },
  { required: ['of', 'to'] },
)

/** What several things have to be: items of a list, events, deliveries, answers of calls that were made at once. */
export const THINGS = {
  distinct: {
    schema: withExamples(
      string(
        'Count different values of this role (or path in an event) rather than things; all of them, without a count.',
      ),
      'order.public_id',
    ),
    roles: (wanted) => [[[], wanted]],
    judge: { things: (seen, wanted, { count }) => (count === undefined ? judgeCount(seen, seen.size, wanted) : null) },
    words: (wanted, { count, of }) => (count === undefined ? [`a different ${wanted} for each of ${of}`] : []),
    compares: true,
  } satisfies ExpectationKind<string>,

  count: {
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
    // How many there are shows where the list is, and nothing of what is in it.
    compares: (wanted) => ({ count: wanted }),
  } satisfies ExpectationKind<Matcher>,

  every: {
    schema: withExamples(MATCHERS, { 'delivery.signed': true }),
    roles: keysAsRoles,
    judge: { things: every },
    words: (wanted, { of }) => [`each of ${of}: ${matchersInWords(wanted).join(', ')}`],
    compares: comparing,
  } satisfies ExpectationKind<Record<string, Matcher>>,

  includes: {
    schema: withExamples(MATCHERS, { 'order.public_id': '${made.order.public_id}' }),
    roles: keysAsRoles,
    judge: { things: judgePresence },
    words: (wanted, { of }) => [`one of ${of}: ${matchersInWords(wanted).join(', ')}`],
    compares: comparing,
  } satisfies ExpectationKind<Record<string, Matcher>>,

  excludes: {
    schema: withExamples(MATCHERS, { 'order.public_id': '${other.order.public_id}' }),
    roles: keysAsRoles,
    judge: { things: judgeAbsence },
    words: (wanted, { of }) => [`none of ${of}: ${matchersInWords(wanted).join(', ')}`],
    compares: false,
  } satisfies ExpectationKind<Record<string, Matcher>>,

  sums: {
    schema: withExamples(SUMS, { of: 'transaction.amount', to: '${report.transactions.gmv}' }),
    roles: ({ of }) => [[['of'], of]],
    judge: { things: judgeSum },
    words: (wanted, { of }) => [`${wanted.of} of ${of} adds up to ${shown(wanted.to)}`],
    compares: true,
  } satisfies ExpectationKind<TypeOf<typeof SUMS>>,
}

/** What of matchers compares with a value known otherwise. A value that merely is there, or is not too small, shows nothing. */
export function comparing(wanted: Record<string, Matcher>): Record<string, Matcher> {
  const isCompared = ([role, matcher]: [string, Matcher]): boolean =>
    typeof matcher === 'string'
      ? !matcher.endsWith(`.${role}}`)
      : typeof matcher !== 'object' || JSON.stringify(matcher).includes('${')
  return Object.fromEntries(Object.entries(wanted).filter(isCompared))
}

function judgeCount(seen: ThingsSeen, wanted: Matcher, distinct: Beside['distinct']): Check | null {
  const { name, size } = seen
  const found = distinct === undefined ? null : valuesOf(seen, distinct)
  if (found && 'complaint' in found) return found.complaint
  const count = found ? new Set(found.values.map((value) => JSON.stringify(value))).size : size
  if (matches(count, seen.fill(wanted as Template) as Matcher)) return null
  const actual = found ? `${count} different ${distinct} among ${inNumber(size, name)}` : inNumber(count, name)
  return failure(actual, listedTwice(seen, name.replace(/s?\.items$/, '.id')))
}

/**
 * Things with their number; what has the name of a role keeps it.
 *
 * @example inNumber(1, 'deliveries') // '1 delivery'
 */
export function inNumber(count: number, name: string): string {
  return name.includes('.') ? `${count} ${name}` : counted(count, name.replace(/ies$/, 'y').replace(/s$/, ''), name)
}

/** Every one of them fits; the first that does not is named. */
export function every(seen: ThingsSeen, wanted: Record<string, Matcher>): Check | null {
  for (let index = 0; index < seen.size; index++) {
    const complaint = seen.judge(index, wanted)
    if (complaint)
      return { ...complaint, actual: `number ${index + 1} of ${seen.size} ${seen.name}: ${complaint.actual}` }
  }
  return null
}

/** One of them fits; if none does, the one that comes nearest is shown. */
export function judgePresence(seen: ThingsSeen, wanted: Record<string, Matcher>): Check | null {
  const complaints: Check[] = []
  for (let index = 0; index < seen.size; index++) {
    const complaint = seen.judge(index, wanted)
    if (complaint === null) return null
    complaints.push(complaint)
  }
  return (
    complaints.find(({ verdict }) => verdict === 'not_run') ??
    failure(`none of ${inNumber(seen.size, seen.name)} fits`, nearestRow(seen, wanted))
  )
}

function judgeAbsence(seen: ThingsSeen, wanted: Record<string, Matcher>): Check | null {
  const complaints = Array.from({ length: seen.size }, (_, index) => seen.judge(index, wanted))
  const hit = complaints.indexOf(null)
  if (hit !== -1) {
    const values = Object.keys(wanted).map((name) => `${name} is ${shown(valueForWords(seen, hit, name))}`)
    return failure(`number ${hit + 1} of ${seen.size} ${seen.name} should not be there: ${values.join(', ')}`)
  }
  // Where nothing could be looked into, nothing was seen to be absent.
  const [first = null] = complaints
  return complaints.every((complaint) => complaint?.verdict === 'not_run') ? first : null
}

function judgeSum(seen: ThingsSeen, { of, to }: TypeOf<typeof SUMS>): Check | null {
  const found = valuesOf(seen, of)
  if ('complaint' in found) return found.complaint
  const values = found.values.map(Number)
  const sum = sumOf(values)
  const wanted = seen.fill(to)
  if (Number(wanted) === sum || Number(wanted) === sumWithoutUndone(seen, of, values)) return null
  const currency = `${of.slice(0, of.indexOf('.'))}.currency`
  const totals = isRole(currency)
    ? [...byCurrency(seen, currency, values)].map(([name, amounts]) => ({ name, total: sumOf(amounts) }))
    : []
  if (totals.length > 1) {
    if (totals.some(({ total }) => total === Number(wanted))) return null
    return unproven(
      `${seen.size} ${seen.name} add up to ${totals.map(({ name, total }) => `${total} ${name}`).join(', ')}; the total is ${shown(wanted)}`,
      'the items are in several currencies, and how the target adds them up is not known',
    )
  }
  const actual = `${seen.size} ${seen.name} add up to ${sum}, not to ${shown(wanted)}`
  return failure(actual, listedTwice(seen, of) ?? sumDifference(values, Number(wanted)))
}

/** Which rows of a list are the same thing, as where its pages overlap; undefined if none are. */
export function listedTwice(seen: Pick<ThingsSeen, 'size' | 'hint'>, of: string): string | undefined {
  const noun = of.slice(0, of.indexOf('.'))
  const role = [`${noun}.id`, `${noun}.public_id`].find(isRole)
  if (role === undefined) return undefined
  const firsts = new Map<string, number>()
  for (let index = 0; index < seen.size; index++) {
    const id = seen.hint?.(index, role)
    if (typeof id !== 'string') continue
    const first = firsts.get(id)
    if (first !== undefined)
      return `number ${first + 1} and number ${index + 1} have the same ${role}: a row is there twice, or on two pages`
    firsts.set(id, index)
  }
  return undefined
}

/** The sum of the other rows: a list may show what an undone sale was worth while its totals leave it out. */
function sumWithoutUndone(seen: ThingsSeen, of: string, values: readonly number[]): number | null {
  const status = `${of.slice(0, of.indexOf('.'))}.status`
  if (!isRole(status)) return null
  return sumOf(values.filter((_, index) => !isUndone(String(seen.hint?.(index, status)))))
}

function sumOf(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

/** What is asked of a list here. */
type RowsSeen = Pick<ThingsSeen, 'size' | 'earlier' | 'value' | 'hint' | 'fill'>

interface Row {
  fits: string[]
  misses: { name: string; value: unknown; wanted: unknown }[]
}

/**
 * Why no row of a list is as it should be: the row that comes nearest, and what is different about it. If no row has anything in
 * common with what was asked for, what that was.
 *
 * @example nearestRow(things, { domain: 'a.test', amount: 500 }) // 'nearest: domain fits, amount is 5 where 500 …'
 */
export function nearestRow(things: RowsSeen, matchers: Record<string, Matcher>): string {
  const rows = Array.from({ length: things.size }, (_, index) => rowOf(things, index, matchers))
  const [nearest] = rows.map((row) => ({ row, score: scoreOf(row) })).sort((a, b) => b.score - a.score)
  if (!nearest)
    return things.earlier ? `all ${things.earlier} rows were there before this scenario` : 'the list is empty'
  if (nearest.score === 0) return `asked for: ${wordsOf(things, matchers)}`
  const { fits, misses } = nearest.row
  const words = [
    ...(fits.length === 0 ? [] : [`${fits.join(' and ')} ${fits.length === 1 ? 'fits' : 'fit'}`]),
    ...misses.map(({ name, value, wanted }) => `${name} is ${shown(value)} ${insteadOf(value, wanted)}`),
  ]
  return `nearest: ${words.join(', ')}`
}

function wordsOf(things: RowsSeen, matchers: Record<string, Matcher>): string {
  return Object.entries(matchers)
    .map(([name, matcher]) => `${name} ${describeMatcher(filledOrNot(things, matcher) as Matcher)}`)
    .join(' and ')
}

function rowOf(things: RowsSeen, index: number, matchers: Record<string, Matcher>): Row {
  const row: Row = { fits: [], misses: [] }
  for (const [name, matcher] of Object.entries(matchers)) {
    const [value, wanted] = [valueForWords(things, index, name), filledOrNot(things, matcher)]
    if (matches(value, wanted as Matcher)) row.fits.push(name)
    else row.misses.push({ name, value, wanted })
  }
  return row
}

/** The verdict does not rest on what is looked up for its words. */
function valueForWords(things: Pick<RowsSeen, 'value' | 'hint'>, index: number, name: string): unknown {
  if (things.hint) return things.hint(index, name)
  const found = things.value(index, name)
  return 'complaint' in found ? undefined : found.value
}

/** What a matcher says of the row itself (`${item...}`) has no value outside of it. */
function filledOrNot(things: RowsSeen, matcher: Matcher): unknown {
  try {
    return things.fill(matcher as Template)
  } catch {
    return matcher
  }
}

/** A miss that a factor explains is half a fit. */
function scoreOf({ fits, misses }: Row): number {
  return fits.length + misses.filter(({ value, wanted }) => relation(value, wanted) !== '').length / 2
}

function insteadOf(value: unknown, wanted: unknown): string {
  const words =
    typeof wanted === 'object' && wanted !== null ? `what ${describeMatcher(wanted as Matcher)}` : shown(wanted)
  return `where ${words} was expected${relation(value, wanted)}`
}

/** What two amounts have to do with each other, in brackets; empty where nothing shows. */
function relation(value: unknown, wanted: unknown): string {
  if (typeof value !== 'number' || typeof wanted !== 'number' || value === 0 || wanted === 0) return ''
  if (value === -wanted) return ' (the other sign)'
  const isFactor = Math.abs(value * 100 - wanted) < 1e-6 || Math.abs(wanted * 100 - value) < 1e-6
  return isFactor ? ' (factor 100: another unit?)' : ''
}

/** Why a sum is another one: the row that explains the difference, or the factor. Undefined if nothing does. */
export function sumDifference(values: readonly number[], wanted: number): string | undefined {
  const sum = values.reduce((total, value) => total + value, 0)
  const factor = relation(sum, wanted)
  const difference = `the difference is ${sum - wanted}${factor}`
  const extra = values.indexOf(sum - wanted)
  if (extra !== -1) return `${difference}, as much as number ${extra + 1}: that row is not in the total`
  const reversed = values.findIndex((value) => 2 * value === sum - wanted)
  if (reversed !== -1) return `${difference}, twice number ${reversed + 1}: that row counts with the other sign`
  return factor === '' ? undefined : difference
}
