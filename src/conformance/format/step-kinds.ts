import { ENDPOINTS, type Endpoint } from '../../contract/endpoints.ts'
import { anything, oneKey, type Schema, type TypeOf, withExamples } from '../../contract/schema.ts'
import type { DocumentPath } from '../yaml/read-yaml.ts'
import { isOperatorAction, OPERATOR_ACTIONS, type OperatorAction } from './operator-actions.ts'
import { CALL, PAGE } from './schema-calls.ts'
import { EVENTS, HOOK } from './schema-events.ts'
import { inline, type Template } from './values.ts'

/** What a step produces, for expectations to be about. */
export type Produced = 'answer' | 'answers' | 'events' | 'deliveries' | 'page'

/** One kind of step: how it is written, and what is said of it. `steps/step-kinds.ts` carries it out. */
export interface StepKind<Given> {
  readonly schema: Schema<Given>
  /** What editors offer, and the reference shows. */
  readonly examples: readonly Given[]
  /** Null if nothing can be expected of it. */
  readonly produces: (given: Given) => Produced | null
  /** Earlier steps that it names, and where. */
  readonly names: (given: Given) => readonly (readonly [path: DocumentPath, step: string | undefined])[]
  /** What it does, in words that follow the name of the step. */
  readonly words: (given: Given) => string
}

function kind<Given>(row: StepKind<Given>): StepKind<Given> {
  return row
}

/** An argument of each type, as editors offer it and the reference shows it. */
const ARGUMENT_EXAMPLES: Readonly<Record<(typeof OPERATOR_ACTIONS)[OperatorAction]['argument'], Template>> = {
  duration: '10m30s',
  limit: { requests: 1, per_seconds: 1 },
  count: 1,
  order: '${made.order.public_id}',
  run: 'all',
  price: { domain: '${sellable.domain}', price: 70_000 },
  deal: { case_id: '${opened.case.id}', price: 420_000 },
  case: '${opened.case.id}',
  session: '${session.checkout.id}',
}

const OPERATOR: Schema<Record<string, Template>> = oneKey(
  'One action of the operator of the target.',
  Object.fromEntries(
    Object.entries(OPERATOR_ACTIONS).map(([name, { about, argument }]) => [
      name,
      withExamples(anything<Template>(about), ARGUMENT_EXAMPLES[argument]),
    ]),
  ),
)

/** The five kinds of steps; a step has the key of exactly one. */
export const STEP_KINDS = {
  call: kind<TypeOf<typeof CALL>>({
    schema: CALL,
    examples: [{ op: 'availability', query: { domain: '${listed.domain}' } }, { again: 'first' }],
    produces: ({ at_once }) => (at_once === undefined ? 'answer' : 'answers'),
    names: ({ again, after, body }) => [
      [['again'], again],
      [['after'], after],
      [['body', 'like'], body?.like],
      [['body', 'bytes_of'], body?.bytes_of],
    ],
    words: callInWords,
  }),
  operator: kind<Record<string, Template>>({
    schema: OPERATOR,
    examples: [{ advance_clock: '10m30s' }, { start_transfer: '${made.order.public_id}' }],
    produces: () => null,
    names: () => [],
    words(given) {
      const [[name, argument] = ['']] = Object.entries(given)
      const about = isOperatorAction(name) ? OPERATOR_ACTIONS[name].about.split(':')[0] : name
      return `operator: ${about} (${name}: ${inline(argument)})`
    },
  }),
  events: kind<TypeOf<typeof EVENTS>>({
    schema: EVENTS,
    examples: [{ type: 'order.recorded', where: { 'data.order.domain': '${sellable.domain}' } }],
    produces: ({ hook }) => (hook === undefined ? 'events' : 'deliveries'),
    names: ({ after }) => [[['after'], after]],
    words({ type, where, hook, after, none_for: noneFor }) {
      const place = hook === undefined ? 'the event history' : `deliveries at the hook ${hook}`
      const wanted = [
        type && ` for ${type}`,
        where && ` where ${inline(where)}`,
        after && ` after ${after}`,
        noneFor && `, which must have none for ${noneFor}`,
      ]
      return `reads ${place}${wanted.filter(Boolean).join('')}`
    },
  }),
  hook: kind<TypeOf<typeof HOOK>>({
    schema: HOOK,
    examples: [{ answer: 500, times: 1 }],
    produces: () => null,
    names: () => [],
    words: ({ answer }) => `has the receiver answer ${inline(answer)} from here on`,
  }),
  page: kind<TypeOf<typeof PAGE>>({
    schema: PAGE,
    examples: [{ open: '${session.checkout.url}' }, { press: 'pay' }],
    produces: () => 'page',
    names: ({ of }) => [[['of'], of]],
    words: ({ open, press, alter }) =>
      `${press === undefined ? `opens the page ${open}` : `presses the button "${press}" of a page`}${alter ? `, altered: ${inline(alter)}` : ''}`,
  }),
}

export type Action = keyof typeof STEP_KINDS

export const ACTIONS = Object.keys(STEP_KINDS) as Action[]

function callInWords(call: TypeOf<typeof CALL>): string {
  const { op, method, target, query, body, again, after, at_once: atOnce, until } = call
  if (again !== undefined) return `sends the request of ${again} again, byte for byte`
  if (after !== undefined) return `repeats the call of ${after} after its Retry-After`
  const route: Endpoint | undefined = op && ENDPOINTS[op]
  const extras = [query && `query ${inline(query)}`, body && `body ${inline(body)}`].filter(Boolean)
  const made = route
    ? `${op} (${method ?? route.method} ${route.path})${extras.length > 0 ? ` with ${extras.join(' and ')}` : ''}`
    : `${method} ${target}`
  if (until !== undefined) return `repeats ${made} until what is expected comes, ${until} at most`
  if (atOnce === undefined) return `calls ${made}`
  const { calls, share = [] } = typeof atOnce === 'number' ? { calls: atOnce } : atOnce
  return `makes ${calls} calls at once (${made})${share.length > 0 ? `, which share ${share.join(' and ')}` : ''}`
}
