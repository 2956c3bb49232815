import { isDeepStrictEqual } from 'node:util'
import { anything, byType, list, oneKey, type Schema, string } from '../../../contract/schema.ts'
import type { Answer } from '../../http/exchange.ts'
import { compare, shown } from '../matcher.ts'
import { among, said, type Template } from '../values.ts'
import { type Check, failure, unproven } from './check.ts'
import { causeShown } from './hidden-cause.ts'
import { type AnswerSeen, always, kind, never, noRoles, type Seen, type ThingsSeen, valuesOf } from './kind.ts'
import { LEDGER, runningBalance } from './running-balance.ts'

const VALUES = { minItems: 2 }

/**
 * Judges that few scenarios need, each by its name: `judge: running_balance`, or `judge: { differ: [...] }` for one that takes values.
 * A name is a row, like a kind of expectation.
 */
export const NAMED_JUDGES = {
  key_pair: kind<boolean>({
    schema: said('Key id and secret of the caller carry the same environment word; nothing is sent.'),
    roles: noRoles,
    judge: { answer: ({ credential }) => keyPair(credential) },
    words: () => ['a key id pk_WORD_... whose secret is sk_WORD_..., with the same word'],
    compares: never,
  }),

  hides_cause: kind<boolean>({
    schema: said('The body shows no stack trace, path, SQL or other cause.'),
    roles: noRoles,
    judge: {
      answer(seen) {
        const cause = causeShown(textOf(seen))
        return cause === null ? null : failure(`the answer shows its cause: ${cause}`)
      },
    },
    words: () => ['nothing of its cause in the answer'],
    compares: never,
  }),

  body_names: kind<readonly string[]>({
    schema: list(string(), { description: 'The body has each of these words, in letters of any case.', minItems: 1 }),
    roles: noRoles,
    judge: { answer: bodyNames, page: bodyNames },
    words: (wanted) => [`a body that names ${wanted.join(' and ')}`],
    compares: never,
  }),

  equal: kind<readonly Template[]>({
    schema: list(anything<Template>(), { description: 'All of these are the same value.', ...VALUES }),
    roles: noRoles,
    judge: { answer: areEqual, page: areEqual, things: areEqual },
    words: (wanted) => [`equal: ${wanted.map(shown).join(', ')}`],
    compares: always,
  }),

  differ: kind<readonly Template[]>({
    schema: list(anything<Template>(), { description: 'No two of these are the same value.', ...VALUES }),
    roles: noRoles,
    judge: { answer: doDiffer, page: doDiffer, things: doDiffer },
    words: (wanted) => [`all different: ${wanted.map(shown).join(', ')}`],
    compares: always,
  }),

  oldest_first: kind<boolean>({
    schema: said('No event is older (created_at) than the one before it.'),
    roles: noRoles,
    judge: { things: oldestFirst },
    words: (_, { of }) => [`${of} in ascending order of created_at`],
    compares: always,
  }),

  running_balance: kind<boolean>({
    schema: said('Each balance of a ledger is the sum of the amounts so far, in whichever order its lines come.'),
    roles: noRoles,
    judge: { things: runningBalance },
    words: (_, { of }) => [`${LEDGER.balance} of each of ${of} is the sum of ${LEDGER.amount} so far`],
    compares: always,
  }),
}

type NamedJudges = typeof NAMED_JUDGES
type Name = keyof NamedJudges
type WantedOf<N extends Name> = NamedJudges[N]['schema'] extends Schema<infer Wanted> ? Wanted : never

/** Judges that take no values are said by their name. */
type Plain = { [N in Name]: WantedOf<N> extends boolean ? N : never }[Name]
type WithValues = { [N in Exclude<Name, Plain>]: { [Key in N]: WantedOf<N> } }[Exclude<Name, Plain>]

const isPlain = (name: string): name is Plain => 'const' in NAMED_JUDGES[name as Name].schema.json

const NAMES = Object.keys(NAMED_JUDGES) as Name[]

/** A judge by its name, as an expectation says it. */
export const JUDGE: Schema<Plain | WithValues> = byType('A judge by its name, for what few scenarios ask.', {
  string: among(NAMES.filter(isPlain)),
  object: oneKey(
    'A judge that takes values.',
    Object.fromEntries(NAMES.filter((name) => !isPlain(name)).map((name) => [name, NAMED_JUDGES[name].schema])),
  ) as Schema<WithValues>,
})

function textOf({ answer }: { answer: Answer }): string {
  return new TextDecoder('utf-8').decode(answer.body)
}

function bodyNames(seen: { answer: Answer }, wanted: readonly string[]): Check | null {
  const body = textOf(seen).toLowerCase()
  const missing = wanted.filter((word) => !body.includes(word.toLowerCase()))
  return missing.length === 0
    ? null
    : failure(`a body of ${seen.answer.body.length} bytes that does not name ${missing.join(' or ')}`)
}

function areEqual(seen: Seen, wanted: readonly Template[]): Check | null {
  const [first, ...others] = wanted.map((template) => seen.fill(template))
  const areAll = others.every((value) => isDeepStrictEqual(value, first))
  return areAll ? null : failure([first, ...others].map(shown).join(', '))
}

function doDiffer(seen: Seen, wanted: readonly Template[]): Check | null {
  const values = wanted.map((template) => seen.fill(template))
  const isRepeated = (value: unknown, index: number) =>
    values.findIndex((other) => isDeepStrictEqual(other, value)) !== index
  return values.some(isRepeated) ? failure(values.map(shown).join(', ')) : null
}

function oldestFirst(seen: ThingsSeen): Check | null {
  const found = valuesOf(seen, 'created_at')
  if ('complaint' in found) return found.complaint
  const { values } = found
  if (values.length < 2) return unproven(`${values.length} ${seen.name}`, 'fewer than two cannot be out of order')
  const held = values.slice(1).every((value, index) => compare(value, values[index]) >= 0)
  return held ? null : failure(`${seen.name} out of order: ${values.slice(0, 6).map(shown).join(', ')}`)
}

const KEY_ID = /^pk_([A-Za-z0-9]+)_./

/**
 * Whether key id and secret carry the same environment word (CRED-01). Judged here and from the prefixes alone: the secret
 * is neither sent nor shown. Only an accepted call can show that both belong to the target.
 */
export function keyPair({ keyId, secret }: AnswerSeen['credential']): Check | null {
  const word = KEY_ID.exec(keyId)?.[1]
  if (word === undefined) return failure('the key id does not start with pk_, a word and an underscore')
  if (secret.startsWith(`sk_${word}_`) && secret.length > `sk_${word}_`.length) return null
  const has = secret.startsWith('sk_') ? 'another word than the key id' : 'no sk_ at its start'
  return failure(`the key id starts with pk_${word}_, and its secret has ${has}`)
}
