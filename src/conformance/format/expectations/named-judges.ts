import { isDeepStrictEqual } from 'node:util'
import { ENDPOINT_IDS } from '../../../contract/endpoint-ids.ts'
import { ENDPOINTS } from '../../../contract/endpoints.ts'
import { ERRORS, isErrorCode } from '../../../contract/errors.ts'
import { headerIn } from '../../../contract/headers.ts'
import {
  anything,
  byType,
  list,
  oneKey,
  oneOf,
  partial,
  record,
  type Schema,
  string,
  type TypeOf,
} from '../../../contract/schema.ts'
import { counted } from '../../../contract/words.ts'
import type { Answer } from '../../http/exchange.ts'
import { places } from '../../http/json-body.ts'
import type { DocumentPath } from '../../yaml/read-yaml.ts'
import {
  among,
  compare,
  isSame,
  MATCHERS,
  type Matcher,
  matchersInWords,
  STEP_ID,
  said,
  shown,
  type Template,
} from '../values.ts'
import { type Check, failure, unproven } from './check.ts'
import { judgeRoles } from './contents.ts'
import { causeInHeaders, causeShown } from './hidden-cause.ts'
import {
  type AnswerSeen,
  byCurrency,
  type ExpectationKind,
  noRoles,
  type Seen,
  type ThingsSeen,
  valuesOf,
} from './kind.ts'
import { everyAnswerHas, hasEach } from './run-judges.ts'
import { judgeRunRule, RUN_RULES } from './run-rules.ts'

const VALUES = { minItems: 2 }

const WHERE: Schema<Record<string, Matcher>> = {
  json: {
    ...MATCHERS.json,
    description: 'Only orders with these values in that list, or else in the answer to their recording.',
  },
}

const ORDERS_OF_RUN = partial(
  'Every order that the run has recorded with this credential is among the items.',
  {
    same: record<string>(
      'Roles of an item, each with the role of the order that it equals; the first finds the item.',
      {
        minProperties: 1,
      },
    ),
    once: said('Only one item is that of the order.'),
    of_list: string('Only the orders in the list that this earlier step has read.', STEP_ID),
    where: WHERE,
  },
  { required: ['same'] },
)

const MADE_IN_RUN = partial(
  'All that the run has made by an operation with this credential is among the items.',
  {
    by: oneOf(ENDPOINT_IDS, 'The operation that has made it.'),
    same: record<string>(
      'Roles of an item, each with the role of the answer of that operation that it equals; the first finds the item.',
      { minProperties: 1 },
    ),
  },
  { required: ['by', 'same'] },
)

const RULE_OF_RUN = partial(
  'A rule that every call of the run so far has kept.',
  {
    rule: oneOf(Object.keys(RUN_RULES) as (keyof typeof RUN_RULES)[], 'Its name (docs/scenario-rows.md).'),
    of: list(string(), { description: 'Only what these operations show counts, or refusals with these codes.' }),
  },
  { required: ['rule'] },
)

/**
 * Judges that few scenarios need, each by its name: `judge: running_balance`, or `judge: { differ: [...] }` for one that takes values.
 * A name is a row, like a kind of expectation.
 */
export const NAMED_JUDGES = {
  key_pair: {
    schema: said('Key id and secret of the caller carry the same environment word; nothing is sent.'),
    roles: noRoles,
    judge: { answer: ({ credential }) => keyPair(credential) },
    words: () => ['a key id pk_WORD_... whose secret is sk_WORD_..., with the same word'],
    compares: false,
  } satisfies ExpectationKind<boolean>,

  hides_cause: {
    schema: said(
      'The body shows no stack trace, path, SQL or other cause, and no header a stack trace, SQL or an exception.',
    ),
    roles: noRoles,
    judge: {
      answer(seen) {
        const cause = causeShown(textOf(seen))
        if (cause !== null) return failure(`the answer shows its cause: ${cause}`)
        const inHeader = causeInHeaders(seen.answer.headers)
        return inHeader === null ? null : failure(`the answer shows its cause in ${inHeader}`)
      },
    },
    words: () => ['nothing of its cause in the answer'],
    compares: false,
  } satisfies ExpectationKind<boolean>,

  no_order_of_others: {
    schema: string(
      'No order that the run has recorded for another partner is among the items: the role of its id there.',
    ),
    roles: (role) => [[[], role]],
    judge: { things: hasNoOrderOfOthers },
    words: (role, { of }) => [`no ${role} of ${of} is that of an order of another partner`],
    compares: false,
  } satisfies ExpectationKind<string>,

  every_refusal_of_run: {
    schema: said(
      'Every refusal of the run so far is JSON with a code and a message, and a code that the document gives a status has it.',
    ),
    roles: noRoles,
    judge: { answer: everyRefusalSaysWhy },
    words: () => ['every refusal of the run so far is JSON with a code and a message, and each code has its status'],
    compares: false,
  } satisfies ExpectationKind<boolean>,

  no_secret_in_run: {
    schema: said('No answer and no delivery of the run so far shows the secret of a credential.'),
    roles: noRoles,
    judge: {
      answer: ({ leaksOfRun: [first, ...others] }) =>
        first === undefined
          ? null
          : failure(`the secret is in exchange ${first} and ${counted(others.length, 'other')}`),
    },
    words: () => ['no answer or delivery of the run so far that shows a secret'],
    compares: false,
  } satisfies ExpectationKind<boolean>,

  body_names: {
    schema: list(string(), { description: 'The body has each of these words, in letters of any case.', minItems: 1 }),
    roles: noRoles,
    judge: { answer: bodyNames, page: bodyNames },
    words: (wanted) => [`a body that names ${wanted.join(' and ')}`],
    compares: false,
  } satisfies ExpectationKind<readonly string[]>,

  equal: {
    schema: list(anything<Template>(), { description: 'All of these are the same value.', ...VALUES }),
    roles: noRoles,
    judge: { answer: areEqual, page: areEqual, things: areEqual },
    words: (wanted) => [`equal: ${wanted.map(shown).join(', ')}`],
    compares: true,
  } satisfies ExpectationKind<readonly Template[]>,

  differ: {
    schema: list(anything<Template>(), { description: 'No two of these are the same value.', ...VALUES }),
    roles: noRoles,
    judge: { answer: doDiffer, page: doDiffer, things: doDiffer },
    words: (wanted) => [`all different: ${wanted.map(shown).join(', ')}`],
    compares: true,
  } satisfies ExpectationKind<readonly Template[]>,

  oldest_first: {
    schema: said('No event is older (created_at) than the one before it.'),
    roles: noRoles,
    judge: { things: oldestFirst },
    words: (_, { of }) => [`${of} in ascending order of created_at`],
    compares: true,
  } satisfies ExpectationKind<boolean>,

  running_balance: {
    schema: said('Each balance of a ledger is the sum of the amounts so far, in whichever order its lines come.'),
    roles: noRoles,
    judge: { things: runningBalance },
    words: (_, { of }) => [`${LEDGER.balance} of each of ${of} is the sum of ${LEDGER.amount} so far`],
    compares: true,
  } satisfies ExpectationKind<boolean>,

  every_order_of_run: {
    schema: ORDERS_OF_RUN,
    roles: ({ same, where = {} }) => [
      ...rolesOfSame(same),
      ...Object.keys(where).map((role): [DocumentPath, string] => [['where', role], role]),
    ],
    judge: { things: hasEveryOrderOfRun },
    words: ({ same, where, once }, { of }) => [
      `every order that this run has recorded${where === undefined ? '' : `, with ${matchersInWords(where)}`} is ${once ? 'once ' : ''}among ${of}, with the same ${Object.values(same).join(', ')}`,
    ],
    compares: true,
  } satisfies ExpectationKind<TypeOf<typeof ORDERS_OF_RUN>>,

  all_made_in_run: {
    schema: MADE_IN_RUN,
    roles: ({ same }) => rolesOfSame(same),
    judge: {
      things: (seen, { by, same }) =>
        hasEach(seen, seen.madeInRun?.(by) ?? [], same, { once: true, word: ENDPOINTS[by].creates?.kind ?? 'thing' }),
    },
    words: ({ by, same }, { of }) => [
      `all that ${by} has made in this run is once among ${of}, with the same ${Object.values(same).join(', ')}`,
    ],
    compares: true,
  } satisfies ExpectationKind<TypeOf<typeof MADE_IN_RUN>>,

  rule_of_run: {
    schema: RULE_OF_RUN,
    roles: noRoles,
    judge: { run: judgeRunRule },
    words: ({ rule, of = [] }) => [
      `in every call of the run so far, ${RUN_RULES[rule].says}${of.length === 0 ? '' : ` (${of.join(', ')})`}`,
    ],
    compares: false,
  } satisfies ExpectationKind<TypeOf<typeof RULE_OF_RUN>>,

  every_answer_of_run: {
    schema: list(string(), {
      description: 'Each accepted answer of this operation in the run so far has these roles, if any has.',
      minItems: 1,
    }),
    roles: (roles) => roles.map((role, index): [DocumentPath, string] => [[index], role]),
    judge: { answer: everyAnswerHas },
    words: (roles) => [`each answer of this operation in the run so far has ${roles.join(', ')}`],
    compares: false,
  } satisfies ExpectationKind<readonly string[]>,
}

type NamedJudges = typeof NAMED_JUDGES
type Name = keyof NamedJudges
type WantedOf<N extends Name> = NamedJudges[N]['schema'] extends Schema<infer Wanted> ? Wanted : never

/** Judges that take no values are said by their name. */
type Plain = { [N in Name]: WantedOf<N> extends boolean ? N : never }[Name]
type WithValues = { [N in Exclude<Name, Plain>]: { [Key in N]: WantedOf<N> } }[Exclude<Name, Plain>]

const NAMES = Object.keys(NAMED_JUDGES) as Name[]

const PLAIN = NAMES.filter((name): name is Plain => 'const' in NAMED_JUDGES[name].schema.json)

/** A judge by its name, as an expectation says it. */
export const JUDGE: Schema<Plain | WithValues> = byType('A judge by its name, for what few scenarios ask.', {
  string: among(PLAIN),
  object: oneKey(
    'A judge that takes values.',
    Object.fromEntries(
      NAMES.flatMap((name) => (PLAIN.some((one) => one === name) ? [] : [[name, NAMED_JUDGES[name].schema]])),
    ),
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
  const areAll = others.every((value) => isSame(value, first))
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

/** Where a line of the ledger has them. */
const LEDGER = {
  amount: 'ledger.amount',
  balance: 'ledger.balance',
  kind: 'ledger.kind',
  currency: 'ledger.currency',
} as const

const REVERSED = 'reversed'

interface LedgerLine {
  amount: number
  balance: number
  kind: string
}

/**
 * Whether each balance is the sum so far, in whichever order the lines come (RPT-03). Where no amount is negative, lines of
 * one kind may all count as plus, as minus or not at all: how a ledger writes its signs is open. What is reversed never raises it.
 */
export function runningBalance(things: Pick<ThingsSeen, 'name' | 'size' | 'value' | 'hint'>): Check | null {
  const [amounts, balances] = [valuesOf(things, LEDGER.amount), valuesOf(things, LEDGER.balance)]
  if ('complaint' in amounts) return amounts.complaint
  if ('complaint' in balances) return balances.complaint
  const kinds = valuesOf(things, LEDGER.kind)
  if ('complaint' in kinds) return kinds.complaint
  const lines = amounts.values.map(
    (amount, at): LedgerLine => ({
      amount: Number(amount),
      balance: Number(balances.values[at]),
      kind: String(kinds.values[at]),
    }),
  )
  if (lines.length === 0) return unproven('no line at all', 'there is nothing to add up')
  const oldestFirst = wrongLine(lines)
  if (oldestFirst === null) return null
  // Amounts of several currencies have no common sum, so each currency may have a balance of its own.
  const currencies = [...byCurrency(things, LEDGER.currency, lines).values()]
  if (currencies.length > 1 && currencies.every((group) => wrongLine(group) === null)) return null
  const wrong = lines[oldestFirst] as LedgerLine
  const before = lines[oldestFirst - 1]
  const behind = before ? `, behind a balance of ${shown(before.balance)}` : ''
  return failure(
    `${things.name}: line ${oldestFirst + 1} of ${lines.length} has ${shown(wrong.amount)} and the balance ${shown(wrong.balance)}${behind}`,
    `read from its first line on, and from its last, ${LEDGER.balance} is not the sum of ${LEDGER.amount} so far`,
  )
}

/** The first line, read from the first on, that is wrong in both orders of time; null if one order is right. */
function wrongLine(lines: readonly LedgerLine[]): number | null {
  const read = lines.every(({ amount }) => amount >= 0) ? signsByKind : signsAsWritten
  const [oldestFirst, newestFirst] = [read(lines), read([...lines].reverse())]
  return newestFirst === null ? null : oldestFirst
}

/** The place of the first line whose balance is not the sum; null if all are. */
function signsAsWritten(lines: readonly LedgerLine[]): number | null {
  let sum = 0
  const wrong = lines.findIndex(({ amount, balance, kind }) => {
    sum += amount
    return sum !== balance || (kind === REVERSED && amount > 0)
  })
  return wrong === -1 ? null : wrong
}

function signsByKind(lines: readonly LedgerLine[]): number | null {
  const signs = new Map<string, number>()
  let before = 0
  const wrong = lines.findIndex(({ amount, balance, kind }) => {
    const change = balance - before
    before = balance
    if (amount === 0) return change !== 0
    const sign = change / amount
    const known = signs.get(kind) ?? sign
    signs.set(kind, known)
    return ![1, 0, -1].includes(sign) || sign !== known || (kind === REVERSED && sign > 0)
  })
  // One partner must earn something, or every balance of a ledger of zeros would do.
  const earns = [...signs.values()].some((sign) => sign > 0)
  return wrong === -1 ? (earns ? null : 0) : wrong
}

function rolesOfSame(same: Readonly<Record<string, string>>): [DocumentPath, string][] {
  return Object.entries(same).flatMap(([role, ofMade]): [DocumentPath, string][] => [
    [['same', role], role],
    [['same', role], ofMade],
  ])
}

/** What one scenario has recorded says little about a list; what all have, in every way that they do it, says much. */
function hasEveryOrderOfRun(
  seen: ThingsSeen,
  { same, where, once = false, of_list: step }: TypeOf<typeof ORDERS_OF_RUN>,
): Check | null {
  const recorded = seen.ordersOfRun?.(step) ?? []
  const orders = where === undefined ? recorded : recorded.filter(({ row }) => judgeRoles(seen, where, row) === null)
  return hasEach(seen, orders, same, { once, word: 'order' })
}

function hasNoOrderOfOthers(seen: ThingsSeen, role: string): Check | null {
  const others = (seen.ordersOfOthers?.() ?? []).flatMap(({ answer, exchange }) => {
    const id = seen.find('order.public_id', answer)
    return id.found ? [[id.value, exchange] as const] : []
  })
  if (others.length === 0) return unproven('no order of another partner', 'this run has recorded none')
  const exchanges = new Map(others)
  const ids = valuesOf(seen, role)
  if ('complaint' in ids) return ids.complaint
  const index = ids.values.findIndex((id) => exchanges.has(id))
  if (index === -1) return null
  const id = ids.values[index]
  return failure(
    `number ${index + 1} of ${seen.size} ${seen.name} is ${shown(id)}, which exchange ${exchanges.get(id)} has recorded for another partner`,
  )
}

/** Statuses by which a service itself refuses; others may come from what is before it. */
const OF_THE_SERVICE = [400, 401, 403, 404, 409, 410, 422]

/** One may be a bad moment of something between. */
const FEWEST_FLAWED = 2

/** For each reason of these, the document has a code. For others a server may have reasons of its own, and no code. */
const OF_NAMED_REASONS = [401, 404]

function everyRefusalSaysWhy(seen: AnswerSeen): Check | null {
  const refusals = seen.refusalsOfRun().filter(({ answer }) => OF_THE_SERVICE.includes(answer.status))
  const besides = besideCodes(seen, refusals)
  const flawed = refusals.flatMap((refusal) => {
    const flaw = flawOf(seen, refusal.answer, OF_NAMED_REASONS.includes(refusal.answer.status) ? besides : new Set())
    return flaw === null ? [] : [{ ...refusal, flaw }]
  })
  const [first] = flawed
  if (!first || flawed.length < FEWEST_FLAWED) return null
  const { answer, exchange, flaw } = first
  return failure(
    `${flawed.length} of ${refusals.length} refusals, the first of them exchange ${exchange} (${answer.op}, ${answer.status}): ${flaw}`,
  )
}

/** Texts that stand beside the code of a refusal, and their places. */
function besideCodes(seen: Seen, refusals: readonly { answer: Answer }[]): ReadonlySet<string> {
  return new Set(
    refusals.flatMap(({ answer }) => {
      const code = seen.find('error.code', answer)
      if (!code.found || code.at.startsWith('header:')) return []
      return textsIn(answer).flatMap(({ at, value }) =>
        at === code.at || isErrorCode(value) ? [] : [at, `${at} ${value}`],
      )
    }),
  )
}

/** What a refusal lacks; null if nothing. A code and a message count wherever they are, but for what stands beside the codes of others. */
function flawOf(seen: Seen, answer: Answer, besides: ReadonlySet<string>): string | null {
  if (typeof answer.json !== 'object' || answer.json === null) return 'no JSON object'
  const type = headerIn(answer.headers, 'content-type') ?? 'none'
  if (!/json/i.test(type)) return `Content-Type ${shown(type)}`
  const found = seen.find('error.code', answer)
  const isCode = found.found && !besides.has(`${found.at} ${found.value}`)
  const code = isCode ? found.value : null
  const status = isErrorCode(code) ? ERRORS[code].status : null
  if (status !== null && status !== answer.status) return `the code ${code}, whose status is ${status}`
  const texts = textsIn(answer)
  const mayBeCode = ({ at, value }: PlacedText) => !besides.has(at) && /^[\w.:/-]+$/.test(value)
  if (code === null && !texts.some(mayBeCode)) return 'no code'
  if (!seen.find('error.message', answer).found && !texts.some(({ value }) => /\S\s+\S/.test(value)))
    return 'no message'
  return null
}

interface PlacedText {
  readonly at: string
  readonly value: string
}

function textsIn({ json }: Answer): PlacedText[] {
  return [...places(json)].flatMap(({ at, value }) => (typeof value === 'string' ? [{ at, value }] : []))
}
