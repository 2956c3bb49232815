import type { EndpointId } from '../../contract/endpoints.ts'
import { BODY_OF, BODY_TEMPLATES, type BodyTemplate } from '../dialect/body-templates.ts'
import { fillIn } from '../format/expressions.ts'
import type { Template } from '../format/scenario.ts'
import { changesOrder, endpointOf, RECORD_ORDER } from '../format/step-facts.ts'
import { isAccepted, statusWord } from '../http/answer.ts'
import { Open } from '../result/open.ts'
import { planOf } from '../signing/sign-plan.ts'
import type { BodyName } from '../target/target-schema.ts'
import type { Credentials } from './credentials.ts'
import type { EventBook } from './event-history.ts'
import { type FixtureBroker, unusedReceiver } from './fixtures.ts'
import type { Lease } from './given-domains.ts'
import { expectedPriceOf, noteUnit } from './money.ts'
import { noteCreated } from './note-created.ts'
import { type Client, createClient, type Run } from './run-context.ts'
import { converse, type Turn } from './send-call.ts'

/** The bodies that this target takes. */
export interface BodyBook {
  /**
   * The template of an operation. The first time, the runner itself makes one sound call of it: that finds out which
   * of the plausible bodies the target takes, and is the control of every refusal of that operation.
   *
   * @throws Open (not_run) if every plausible body is refused as malformed and the target file names none (needs-dialect), or the
   * budget is used up.
   */
  templateOf(op: EndpointId, name?: BodyName): Promise<BodyTemplate>
  /** What has been found out so far; a copy of the world takes the same bodies. */
  readonly found: ReadonlyMap<string, BodyTemplate>
}

/** Values that templates are filled in from. */
export type Variables = Readonly<Record<string, unknown>>

/** @param found by an earlier book, of a target that takes the same bodies. */
export function createBodies(
  run: Run,
  credentials: Credentials,
  fixtures: FixtureBroker,
  events: EventBook,
  earlier: ReadonlyMap<string, BodyTemplate> = new Map(),
): BodyBook {
  const found = new Map(earlier)
  const known = new Map([...earlier].map(([key, template]) => [key, Promise.resolve(template)]))
  const client = createClient(run, 'control', 'c')
  let lookedAtMs = run.learned.historyLagMs === null ? Number.NEGATIVE_INFINITY : run.wall.monotonicMs()
  const lookAtHistory = async (): Promise<void> => {
    const { wall } = run
    if (wall.monotonicMs() - lookedAtMs < LOOK_EVERY_MS) return
    lookedAtMs = wall.monotonicMs()
    await events
      .of(credentials.main)
      .refresh(client)
      .catch(() => undefined)
  }
  const findOut = async (key: string, op: EndpointId, name: BodyName | undefined): Promise<BodyTemplate> => {
    const template = await calibrate(client, credentials, fixtures, op, name)
    found.set(key, template)
    return template
  }
  return {
    found,
    templateOf(op, name = BODY_OF[op]) {
      const key = `${op} ${name}`
      const template = known.get(key) ?? findOut(key, op, name)
      known.set(key, template)
      return op === RECORD_ORDER ? template.finally(lookAtHistory) : template
    },
  }
}

/** How long a look at the history lasts, where it is only to see how far that lags behind. */
const LOOK_EVERY_MS = 500

async function calibrate(
  client: Client,
  credentials: Credentials,
  fixtures: FixtureBroker,
  op: EndpointId,
  name: BodyName | undefined,
): Promise<BodyTemplate> {
  if (!name) return {}
  const configured = client.run.target.dialect.bodies[name]
  const templates = configured ? [configured] : BODY_TEMPLATES[name]
  const [first] = templates as [BodyTemplate]
  // A registration replaces the one that is there; without a receiver only a scenario may do that.
  if (op === 'webhooks.put' && !client.run.receiver) return first
  client.run.budget.reserve(op === RECORD_ORDER ? { orders: 1 } : op === 'quotes.create' ? { quotes: 1 } : {})
  const subject = await subjectOf(client, credentials, fixtures, op, name)
  if (subject === null) return first
  let malformed: string | null = null
  for (const template of templates) {
    const made = await attempt(client, credentials, op, template, subject)
    const { turn } = made
    if (isAccepted(turn.answer)) {
      learnFrom(client.run, op, made, subject)
      return template
    }
    // A body from the target file is sound; if the target refuses it, the checks report that.
    if (configured || !isMalformed(turn, client.run)) return first
    malformed = statusWord(turn.answer)
  }
  throw Open.notRun(
    'needs-dialect',
    `no plausible body of ${op} is accepted (${malformed}); write it under dialect.bodies.${name}`,
  )
}

/** What a control call is about. */
interface Subject {
  variables(): Variables
  listed?: Lease['listed']
}

/** A domain of its own, or for a refund an order of its own. */
async function subjectOf(
  client: Client,
  credentials: Credentials,
  fixtures: FixtureBroker,
  op: EndpointId,
  name: BodyName,
): Promise<Subject | null> {
  if (name === 'link' || name === 'link_product') return { variables: () => ({}) }
  if (op === 'webhooks.put') {
    const hook = await unusedReceiver(client.run)
    if (!hook) return null
    client.run.redactor.add(hook.secret)
    return { variables: () => ({ url: hook.url, secret: hook.secret }) }
  }
  // A link to a domain sells nothing.
  const lease = name === 'link_domain' ? await fixtures.listed() : await fixtures.sellable(name === 'brokerage')
  const bought: Subject = {
    variables: () => leaseVariables(client.run, lease),
    ...(lease.listed ? { listed: lease.listed } : {}),
  }
  if (!changesOrder(op)) return bought
  const template = await calibrated(client, credentials, fixtures)
  const { turn } = await attempt(client, credentials, RECORD_ORDER, template, bought)
  if (!isAccepted(turn.answer)) return null
  const id = client.run.dialect.find('order.public_id', turn.answer)
  return id.found ? { variables: () => ({ public_id: id.value }) } : null
}

async function calibrated(client: Client, credentials: Credentials, fixtures: FixtureBroker): Promise<BodyTemplate> {
  client.run.budget.reserve({ orders: 1 })
  if (client.run.learned.priceUnit !== null) {
    return (client.run.target.dialect.bodies.order ?? BODY_TEMPLATES.order[0]) as BodyTemplate
  }
  return calibrate(client, credentials, fixtures, RECORD_ORDER, 'order')
}

export function leaseVariables(run: Run, lease: Lease): Variables {
  return {
    domain: lease.domain,
    price: lease.price,
    currency: lease.currency,
    ref: paymentRef(run),
  }
}

/** Marks everything a run creates, so that leftovers can be found. */
export function paymentRef(run: Run): string {
  return `conf-${run.runId}-${run.uuid().slice(0, 8)}`
}

/** A call that was made, and the expected_price that it had. */
interface Attempted {
  turn: Turn
  sent: unknown
}

/**
 * The unit of expected_price is open, and that of a listing price too: any number that the target accepts is valid. Nothing is
 * learned before the target accepts one, because other scenarios judge at the same time.
 */
async function attempt(
  client: Client,
  credentials: Credentials,
  op: EndpointId,
  template: BodyTemplate,
  { variables, listed }: Subject,
): Promise<Attempted> {
  const { run } = client
  const first = variables()
  const turn = await sendBody(client, credentials, op, template, first)
  const made = { turn, sent: typeof first.price === 'number' ? expectedPriceOf(run, first.price) : undefined }
  const mayBeTheUnit = codeOf(turn, run) === 'price_mismatch' || isMalformed(turn, run)
  if (op !== RECORD_ORDER || run.learned.priceUnit !== null || !mayBeTheUnit) return made
  const shown = listed?.money.unit === null ? listed.money.amount : Number(first.price)
  for (const price of [shown, shown / 100, shown * 100]) {
    if (price === first.price) continue
    const other = await sendBody(client, credentials, op, template, { ...variables(), price })
    if (isAccepted(other.answer)) return { turn: other, sent: price }
  }
  return made
}

async function sendBody(
  client: Client,
  credentials: Credentials,
  op: EndpointId,
  template: BodyTemplate,
  variables: Variables,
): Promise<Turn> {
  const { run } = client
  const body = Buffer.from(JSON.stringify(fillTemplate(run, template, variables)))
  const key = endpointOf(op).idempotencyKey ? { idempotencyKey: run.uuid() } : {}
  const turn = await converse(client, {
    op,
    plan: { ...planOf(op), body, ...key },
    credential: credentials.main,
  })
  noteCreated(run, turn)
  return turn
}

/** Fills a template in; what has no value is left out. `price` is in cents and is written in the target's unit. */
export function fillTemplate(run: Run, template: BodyTemplate, variables: Variables): Record<string, unknown> {
  const values: Variables =
    typeof variables.price === 'number' ? { ...variables, price: expectedPriceOf(run, variables.price) } : variables
  const filled = fillIn(template as Template, ([name]) => values[String(name)])
  return dropUndefined(filled) as Record<string, unknown>
}

function dropUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(dropUndefined)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => (inner === undefined ? [] : [[key, dropUndefined(inner)]])),
  )
}

/** An accepted order shows both units: the price sent was right, and sale_price_cents is in cents by the document. */
function learnFrom(run: Run, op: EndpointId, { turn, sent }: Attempted, { listed }: Subject): void {
  if (op !== RECORD_ORDER || typeof sent !== 'number') return
  const { learned } = run
  const found = run.dialect.find('order.sale_price_cents', { json: turn.answer?.json, op })
  const charged = found.found ? Number(found.value) : sent
  learned.priceUnit ??= charged === sent * 100 ? 'units' : 'cents'
  if (listed?.money.unit !== null) return
  const { amount } = listed.money
  if (charged === amount || charged === amount * 100)
    noteUnit(learned, listed.place, charged === amount ? 'cents' : 'units')
}

function codeOf(turn: Turn, run: Run): unknown {
  if (!turn.answer) return null
  const found = run.dialect.find('error.code', turn.answer)
  return found.found ? found.value : null
}

/** A refusal that another body could cure. */
function isMalformed(turn: Turn, run: Run): boolean {
  const status = turn.answer?.status ?? 0
  if (codeOf(turn, run) === 'validation_error') return true
  return status === 400 || status === 415 || (status === 422 && codeOf(turn, run) !== 'price_mismatch')
}
