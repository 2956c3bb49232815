import {
  byType,
  list,
  oneOf,
  partial,
  type Schema,
  string,
  type TypeOf,
  withExamples,
} from '../../../contract/schema.ts'
import type { DocumentPath } from '../../yaml/read-yaml.ts'
import { MATCHERS, REQUIREMENT_ID, STEP_ID, some } from '../values.ts'
import { CONTENTS } from './contents.ts'
import type { ExpectationKind } from './kind.ts'
import { JUDGE, NAMED_JUDGES } from './named-judges.ts'
import { CODES, OUTCOMES } from './outcomes.ts'
import { THINGS } from './things.ts'

/** THE table of what can be expected; an expectation is judged, and reported, in its order. */
const KINDS = { ...OUTCOMES, ...CONTENTS, ...THINGS }

const UNLESS = partial(
  'A failure proves nothing where the list that this earlier step read has such an item.',
  { step: string('A step that read a list.', STEP_ID), has: MATCHERS },
  { required: ['step', 'has'] },
)

/** Keys that are not judged by themselves: they say what the others are about, or what the whole is for. */
const OTHER_KEYS = {
  tolerate: withExamples(list(oneOf(CODES), { description: 'Codes that another sentence of the document allows.' }), [
    'invalid_signature',
  ]),
  items: withExamples(
    string('A list role: count, distinct, every, includes, excludes, sums and judges of lists speak about its items.'),
    'orders.items',
  ),
  among: withExamples(
    oneOf(
      ['accepted', 'refused', 'server_error', 'all'],
      'Which answers of calls made at once; accepted where absent.',
    ),
    'accepted',
  ),
  judge: withExamples(JUDGE, 'running_balance', { differ: ['${one.quote.id}', '${two.quote.id}'] }),
  open: withExamples(
    string('A premise that is a choice of the target: where it does not hold, the rest is not run and not counted.'),
    'EVT-04',
  ),
  unless: withExamples(UNLESS, { step: 'sales', has: { 'transaction.status': 'REFUNDED' } }),
  says: withExamples(
    string('The expectation in one line, where the made one reads badly.'),
    'the refusal names the wrong field',
  ),
  shows: withExamples(
    byType('Requirements this shows.', {
      string: string(undefined, REQUIREMENT_ID),
      array: some(string(undefined, REQUIREMENT_ID)),
    }),
    'ORD-03',
    ['ORD-03', 'ERR-01'],
  ),
}

type Kinds = typeof KINDS
type SchemasOf<Rows> = { [Key in keyof Rows]: Rows[Key] extends ExpectationKind<infer Wanted> ? Schema<Wanted> : never }

export const EXPECTATION = partial(
  'What is asked for. With `shows` it is a check; without, a premise: if it is false, the rest decides nothing.',
  {
    ...(Object.fromEntries(Object.entries(KINDS).map(([key, { schema }]) => [key, schema])) as SchemasOf<Kinds>),
    ...OTHER_KEYS,
  },
)

export type Expectation = TypeOf<typeof EXPECTATION>

/** One key of an expectation that is judged: its row and what the scenario wrote. */
export interface Wish {
  /** Where it stands in the expectation. */
  readonly path: readonly string[]
  readonly kind: ExpectationKind<never>
  readonly wanted: never
}

/** What an expectation asks for, key by key, in the order of the table; a named judge last. */
export function wishesOf(expectation: Expectation): readonly Wish[] {
  const known = wished.get(expectation)
  if (known) return known
  // Keys and values come from one schema, so that each value is of its row's type.
  const wishes: Wish[] = []
  for (const [key, kind] of Object.entries(KINDS)) {
    const wanted = expectation[key as keyof Kinds]
    if (wanted !== undefined) wishes.push({ path: [key], kind, wanted } as unknown as Wish)
  }
  const { judge } = expectation
  if (judge !== undefined) {
    const [name, values] = typeof judge === 'string' ? [judge, true] : (Object.entries(judge)[0] as [string, unknown])
    const path = typeof judge === 'string' ? ['judge'] : ['judge', name]
    const kind = NAMED_JUDGES[name as keyof typeof NAMED_JUDGES]
    wishes.push({ path, kind, wanted: values } as unknown as Wish)
  }
  wished.set(expectation, wishes)
  return wishes
}

/** Expectations do not change, and each is judged again and again while a run waits for what it expects. */
const wished = new WeakMap<Expectation, readonly Wish[]>()

/** What decides where an expectation does not say what a call or a page has to come to. */
export const PLAIN_ACCEPTANCE = KINDS.accepted

/** The roles that an expectation names, and where. */
export function rolesNamed(expectation: Expectation): [path: DocumentPath, role: string][] {
  const named = wishesOf(expectation).flatMap(({ path, kind, wanted }) =>
    kind.roles(wanted).map(([at, role]): [DocumentPath, string] => [[...path, ...at], role]),
  )
  if (expectation.items !== undefined) named.unshift([['items'], expectation.items])
  for (const name of Object.keys(expectation.unless?.has ?? {})) named.push([['unless', 'has', name], name])
  return named
}
