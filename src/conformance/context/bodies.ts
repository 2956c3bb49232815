import type { EndpointId } from '../../contract/endpoints.ts'
import { withFieldsAskedFor } from '../dialect/asked-fields.ts'
import { BODY_OF, BODY_TEMPLATES, inWordsOf } from '../dialect/body-templates.ts'
import { CURRENCIES } from '../dialect/find-role.ts'
import { inPriceUnit, noteUnit } from '../dialect/money.ts'
import { OPERATIONS, RECORD_ORDER } from '../format/step-facts.ts'
import { fillIn, type Template } from '../format/values.ts'
import { type Answer, isAccepted, isRefused, statusWord } from '../http/exchange.ts'
import type { JsonObject } from '../http/json-body.ts'
import { isOpen, Open } from '../result/open.ts'
import { noteWith } from '../result/target-addition.ts'
import { callTo } from '../signing/sign-call.ts'
import type { BodyName } from '../target/target-schema.ts'
import { unusedReceiver } from './fixtures.ts'
import { type CallExchange, type Caller, createCaller, type Lease, type Run } from './run.ts'
import { converse } from './send-call.ts'

/**
 * The body of an operation that the target takes. The first time, the runner itself makes one valid call of it: that finds out
 * which of the plausible bodies the target takes, and is the valid twin of every refusal of that operation.
 *
 * @throws Open (not_run) if every plausible body is refused as malformed and the target file names none (needs-dialect), or the
 * budget is used up.
 */
export function templateOf(run: Run, op: EndpointId, name: BodyName | undefined = BODY_OF[op]): Promise<JsonObject> {
  const { bodies } = run.dialect
  const key = `${op} ${name}`
  // The call is made in the world itself, for all copies.
  const caller = createCaller(run.copiedFrom ?? run, 'control', 'c')
  const template = bodies.get(key) ?? calibrate(caller, op, name)
  bodies.set(key, template)
  // The next scenario that needs it may be answered, or find a domain that another has given back.
  template.catch((error) => void (mayEndOtherwise(error) && bodies.delete(key)))
  if (op !== RECORD_ORDER) return template
  return template.finally(async () => {
    // Only to see how far the history lags behind.
    const { wall, pace, credentials, historyOf } = caller.run
    if (wall.monotonicMs() - pace.historyLookedAtMs < LOOK_EVERY_MS) return
    pace.historyLookedAtMs = wall.monotonicMs()
    await historyOf(credentials.main)
      .refresh(caller)
      .catch(() => undefined)
  })
}

function mayEndOtherwise(error: unknown): boolean {
  return isOpen(error, 'inconclusive') || (isOpen(error, 'not_run') && error.reason === 'needs-fixture')
}

/** How long such a look at the history lasts. */
const LOOK_EVERY_MS = 2_000

/** As much of the message of a refusal as a note quotes. */
const MOST_SAID = 120

/** A target that asks for something new each time is not followed any further. */
const MAX_REPAIRS = 6

async function calibrate(caller: Caller, op: EndpointId, name: BodyName | undefined): Promise<JsonObject> {
  if (!name) return {}
  const configured = caller.run.dialect.settings.bodies[name]
  const words = caller.run.dialect.wordsFor('search.domain')
  const plausible = configured ? [configured] : inWordsOf(BODY_TEMPLATES[name], words)
  const { order } = caller.run.dialect.settings.bodies
  // What may be left out is open; an order with all of it will do.
  const templates = name === 'order_sparse' ? [...plausible, ...(order ? [order] : BODY_TEMPLATES.order)] : plausible
  const [first] = templates as [JsonObject]
  // A registration replaces the one that is there; without a receiver only a scenario may do that.
  if (op === 'webhooks.put' && !caller.run.receiver) return first
  caller.run.budget.reserve(op === RECORD_ORDER ? { orders: 1 } : op === 'quotes.create' ? { quotes: 1 } : {})
  const subject = await subjectOf(caller, op, name)
  if (subject === null) return first
  const left = [...templates]
  const sent = new Set<string>()
  let repairs = 0
  let refused: Answer | null = null
  let nearest: { template: JsonObject; said: string; shortest: number; repaired: JsonObject | null } | null = null
  for (let template = left.shift(); template !== undefined; template = left.shift()) {
    if (sent.has(JSON.stringify(template))) continue
    sent.add(JSON.stringify(template))
    const tried = await tryBody(caller, op, template, subject)
    const { exchange } = tried
    if (isAccepted(exchange.answer)) {
      learnFrom(caller.run, op, tried, subject)
      return template
    }
    // A body from the target file is valid; if the target refuses it, the checks report that.
    if (configured) return first
    if (!isMalformed(exchange, caller.run) && !namesUnknownProduct(name, exchange)) {
      // The bodies before it were refused, and without an answer this one was neither refused nor accepted.
      if (refused !== null && !isRefused(exchange.answer))
        throw Open.unproven(
          `which body ${op} takes is not known: a plausible one was answered ${statusWord(exchange.answer)}`,
        )
      return template
    }
    refused = exchange.answer
    const said = saidBy(caller.run, refused)
    const shortest: number = nearest?.shortest ?? Number.POSITIVE_INFINITY
    if (nearest === null || said.length < shortest || template === nearest.repaired)
      nearest = { template, said, shortest: Math.min(said.length, shortest), repaired: null }
    const repaired = repairs < MAX_REPAIRS ? withFieldsAskedFor(name, template, exchange.answer?.json) : null
    if (repaired === null) continue
    repairs += 1
    left.unshift(repaired)
    if (template === nearest.template) nearest.repaired = repaired
  }
  // The body that the target objects to least is the one to go on from, with what it asked for there.
  const why = [statusWord(refused), nearest?.said.slice(0, MOST_SAID)].filter(Boolean).join(', ')
  const addition = { dialect: { bodies: { [name]: nearest?.template ?? first } } }
  throw Open.notRun('needs-dialect', noteWith(`no plausible body of ${op} is accepted (${why})`, addition))
}

/** The message of a refusal; empty if it has none. */
function saidBy(run: Run, refused: Answer | null): string {
  const said = refused ? run.dialect.find('error.message', refused) : null
  return said?.found ? String(said.value) : ''
}

/** What such a call is about. */
interface BodySubject {
  variables(): JsonObject
  listed?: Lease['listed']
}

/** A domain of its own, or for a refund an order of its own. */
async function subjectOf(caller: Caller, op: EndpointId, name: BodyName): Promise<BodySubject | null> {
  if (name === 'link' || name === 'link_product') return { variables: () => ({}) }
  if (op === 'webhooks.put') {
    const hook = await unusedReceiver(caller.run)
    if (!hook) return null
    caller.run.redactor.add(hook.secret)
    return { variables: () => ({ url: hook.url, secret: hook.secret }) }
  }
  // A link to a domain sells nothing.
  const lease =
    name === 'link_domain'
      ? await caller.run.fixtures.listed()
      : await caller.run.fixtures.sellable(name === 'brokerage')
  const bought: BodySubject = {
    variables: () => leaseVariables(caller.run, lease),
    ...(lease.listed ? { listed: lease.listed } : {}),
  }
  const { effect, inScenario } = OPERATIONS[op]
  if (effect !== 'write' || inScenario?.after !== 'order') return bought
  const template = await calibrated(caller)
  const { exchange } = await tryBody(caller, RECORD_ORDER, template, bought)
  if (!isAccepted(exchange.answer)) return null
  const id = caller.run.dialect.find('order.public_id', exchange.answer)
  return id.found ? { variables: () => ({ public_id: id.value }) } : null
}

async function calibrated(caller: Caller): Promise<JsonObject> {
  caller.run.budget.reserve({ orders: 1 })
  if (caller.run.dialect.units.price !== null) {
    return (caller.run.dialect.settings.bodies.order ?? BODY_TEMPLATES.order[0]) as JsonObject
  }
  return calibrate(caller, RECORD_ORDER, 'order')
}

/** What a body says of a domain, if it is about one, with a word that marks everything a run creates, so that leftovers can be found. */
export function leaseVariables(run: Run, lease: Lease | undefined): JsonObject {
  const ref = `conf-${run.runId}-${run.uuid().slice(0, 8)}`
  return lease ? { domain: lease.domain, price: lease.price, currency: lease.currency, ref } : { ref }
}

/** A call that was made, and the expected_price that it had. */
interface Tried {
  exchange: CallExchange
  sent: unknown
}

/**
 * The unit of expected_price is open, and that of a listing price too: any number that the target accepts is valid. Nothing is
 * learned before the target accepts one, because other scenarios judge at the same time.
 */
async function tryBody(
  caller: Caller,
  op: EndpointId,
  template: JsonObject,
  { variables, listed }: BodySubject,
): Promise<Tried> {
  const { run } = caller
  let first = variables()
  let exchange = await sendBody(caller, op, template, first)
  const currency = isMalformed(exchange, run) ? currencyAskedFor(exchange, run) : null
  if (currency !== null && currency !== first.currency) {
    run.dialect.units.currency = currency
    first = { ...variables(), currency }
    exchange = await sendBody(caller, op, template, first)
  }
  const tried = {
    exchange,
    sent: typeof first.price === 'number' ? inPriceUnit(run.dialect.units, first.price) : undefined,
  }
  if (op !== RECORD_ORDER || run.dialect.units.price !== null || isAccepted(exchange.answer)) return tried
  if (run.dialect.codeOf(exchange.answer) !== 'price_mismatch' && !isMalformed(exchange, run)) return tried
  const shown = listed?.money.unit === null ? listed.money.amount : Number(first.price)
  for (const price of [shown, shown / 100, shown * 100]) {
    if (price === first.price) continue
    const other = await sendBody(caller, op, template, { ...variables(), price })
    if (isAccepted(other.answer)) return { exchange: other, sent: price }
  }
  return tried
}

async function sendBody(
  caller: Caller,
  op: EndpointId,
  template: JsonObject,
  variables: JsonObject,
): Promise<CallExchange> {
  const { run } = caller
  const body = Buffer.from(JSON.stringify(fillTemplate(run, template, variables)))
  const key = OPERATIONS[op].idempotencyKey ? { idempotencyKey: run.uuid() } : {}
  return converse(caller, { ...callTo(op, run.credentials.main), body, ...key })
}

/** Fills a template in; JSON leaves out what has no value. `price` is in cents and is written in the target's unit. */
export function fillTemplate(run: Run, template: JsonObject, variables: JsonObject): Record<string, unknown> {
  const values: JsonObject =
    typeof variables.price === 'number'
      ? { ...variables, price: inPriceUnit(run.dialect.units, variables.price) }
      : variables
  return fillIn(template as Template, ([name]) => values[String(name)]) as Record<string, unknown>
}

/** An accepted order shows both units: the price sent was right, and sale_price_cents is in cents by the document. */
function learnFrom(run: Run, op: EndpointId, { exchange, sent }: Tried, { listed }: BodySubject): void {
  if (op !== RECORD_ORDER || typeof sent !== 'number') return
  const found = run.dialect.find('order.sale_price_cents', { json: exchange.answer?.json, op })
  const charged = found.found ? Number(found.value) : sent
  run.dialect.units.price ??= charged === sent * 100 ? 'units' : 'cents'
  if (listed?.money.unit !== null) return
  const { amount } = listed.money
  if (charged === amount || charged === amount * 100)
    noteUnit(run.dialect.units, listed.place, charged === amount ? 'cents' : 'units')
}

/** The one currency that a refusal names. */
function currencyAskedFor({ answer }: CallExchange, run: Run): string | null {
  const message = answer ? run.dialect.find('error.message', answer) : null
  const text = message?.found ? String(message.value).slice(0, MOST_SAID) : ''
  const [code, other] = /currency/i.test(text)
    ? (text.match(/\b[A-Z]{3}\b/g) ?? []).filter((one) => CURRENCIES.has(one))
    : []
  return code !== undefined && other === undefined ? code : null
}

/** The product of a link is made up, and a target may look it up. */
function namesUnknownProduct(name: BodyName, { answer }: CallExchange): boolean {
  return name === 'link_product' && [404, 409, 410].includes(answer?.status ?? 0)
}

/** A refusal that another body could cure. */
function isMalformed(exchange: CallExchange, run: Run): boolean {
  if (!isRefused(exchange.answer)) return false
  const { status } = exchange.answer
  const code = run.dialect.codeOf(exchange.answer)
  return (
    code === 'validation_error' || status === 400 || status === 415 || (status === 422 && code !== 'price_mismatch')
  )
}
