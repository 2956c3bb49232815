import { headerIn } from '../../contract/headers.ts'
import { operate } from '../context/operator.ts'
import { exchangesOf, type ScenarioRun, senderTo } from '../context/run.ts'
import { inTurn, noteLeak, PAUSES_MS, record } from '../context/send-call.ts'
import type { OperatorArguments } from '../format/operator-actions.ts'
import type { NamedStep, PageStep, Step } from '../format/scenario.ts'
import { expectationsOf, observationsOf, onlyObserves, showsOf } from '../format/step-facts.ts'
import type { Template } from '../format/values.ts'
import { whyNotOpen, whyNotReach } from '../http/address.ts'
import { type Answer, isAccepted, isRefused, isServerError, statusWord, type WireRequest } from '../http/exchange.ts'
import { isOpenPage, type Subject, sessionToPay } from '../judge/judge.ts'
import { type StepOutcome, stepInWords, undone } from '../judge/placed-check.ts'
import { filled, filledText } from '../judge/references.ts'
import { alterationInWords, alteredForms, alteredUrls } from '../pages/alter-token.ts'
import { fillForm, isIncomplete, nextToPay, outlineOf } from '../pages/fill-form.ts'
import { createCookieJar, type PageVisit } from '../pages/page-visit.ts'
import { findButton, type PageContent, type Pressed, readPage, sells } from '../pages/read-page.ts'
import { Open } from '../result/open.ts'
import { whenAsked } from '../result/result.ts'
import { doubtByAnOrdinaryRead } from './call.ts'
import { reported } from './report-step.ts'

/** Opens a page, or the same page with one character changed at a time. */
export async function runOpen(scenarioRun: ScenarioRun, step: NamedStep): Promise<StepOutcome> {
  const wish = step.page as PageStep
  const url = filledText(scenarioRun, wish.open ?? '')
  refuseRelative(wish.open ?? '', url)
  if (wish.cookies === 'fresh') scenarioRun.jar = createCookieJar(scenarioRun.run.wall)
  const visits = wish.alter
    ? await openAltered(scenarioRun, url, wish)
    : [{ visit: await openOne(scenarioRun, url, wish), label: '' }]
  const twinOutcome = wish.alter ? await openOne(scenarioRun, url, wish) : seenOpen(scenarioRun, url)
  return reportedPages(scenarioRun, step, { kind: 'pages', visits, twinOutcome })
}

/** Roles that hold the address of a page, with what says that it leads there. */
const ADDRESSES = { 'checkout.url': 'CHK-01', 'case.progress_url': 'BRK-02' } as const

/**
 * An address that a buyer gets leads to a page from anywhere.
 *
 * @throws Open (fail) if the target gave one without a scheme and a host.
 */
function refuseRelative(template: string, url: string): void {
  if (/^[a-z][a-z0-9+.-]*:/i.test(url)) return
  for (const [role, requirement] of Object.entries(ADDRESSES))
    if (template.endsWith(`.${role}}`))
      throw Open.violating(
        requirement,
        `${role} is "${url.slice(0, 60)}"`,
        'a browser cannot open this: it is not an http(s) address with a host',
      )
}

async function openOne(
  scenarioRun: ScenarioRun,
  url: string,
  { follow: follows = true }: PageStep,
): Promise<PageVisit> {
  const isTracking = isTrackingLink(scenarioRun, url)
  const visit = await browse(scenarioRun, { method: 'GET', url, follow: follows, once: isTracking })
  const href = isTracking && follows && isOpenPage(visit) ? onlyWayOn(visit.content) : null
  const next = href === null ? null : await follow(scenarioRun, visit, href)
  // Any other page has a link as well, such as one to an imprint.
  const leadsOn = next?.content && isOpenPage(next) && sells(next.content) !== false
  return leadsOn ? { ...next, asked: url } : visit
}

/** The link of a page that a buyer only passes: it sells nothing, and has no form and no other link. */
function onlyWayOn(content: PageContent | null): string | null {
  const [only, another] = content?.links ?? []
  if (!content || content.forms.length > 0 || !only || another) return null
  return sells(content) === true || BUYS.test(only.text) ? null : only.href
}

/** A link that may be the purchase itself. */
const BUYS = /\b(?:pay|buy|order|purchase|check ?out)\b/i

/** Whether the target gave this address in answer to an operation on links: opening it is counted. */
function isTrackingLink(scenarioRun: ScenarioRun, url: string): boolean {
  return exchangesOf(scenarioRun).some(
    ({ call: { op }, answer }) =>
      op?.startsWith('links.') && answer && JSON.stringify(answer.json)?.includes(JSON.stringify(url)),
  )
}

/** The number of pages that are opened at once. */
const PAGES_AT_ONCE = 8

async function openAltered(
  scenarioRun: ScenarioRun,
  url: string,
  wish: PageStep,
): Promise<{ visit: PageVisit; label: string }[]> {
  const { query = 'pt', at = 'each', how = 'other' } = wish.alter ?? {}
  const queue = alteredUrls(url, { query, at, how })
  const opened: { visit: PageVisit; label: string; position: number }[] = []
  // A browser of their own, so that no cookie of the valid page lets an altered one through.
  const jar = createCookieJar(scenarioRun.run.wall)
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const { position } = next
      const visit = await browse(scenarioRun, { method: 'GET', url: next.url, follow: wish.follow ?? true, jar })
      opened.push({ visit, position, label: alterationInWords({ query, how }, position) })
    }
  }
  await Promise.all(Array.from({ length: PAGES_AT_ONCE }, worker))
  return opened.sort((a, b) => a.position - b.position)
}

/** The same address as an earlier step found it open. */
function seenOpen(scenarioRun: ScenarioRun, url: string): PageVisit | null {
  const visits = [...scenarioRun.records.values()].flatMap((record) => (record.kind === 'pages' ? record.visits : []))
  return visits.find((visit) => visit.asked === url && isOpenPage(visit)) ?? null
}

/** Keeps and reports the pages that a step has opened. */
function reportedPages(
  scenarioRun: ScenarioRun,
  step: NamedStep,
  subject: Extract<Subject, { kind: 'pages' }>,
): StepOutcome {
  const visits = subject.visits.map(({ visit }) => visit)
  scenarioRun.records.set(step.id, { kind: 'pages', visits })
  const [first] = visits
  if (first && visits.length === 1) scenarioRun.latestPage = first
  const outcome = reported(scenarioRun, step, subject, first?.exchange ?? null)
  const lost = visits.find((visit) => visit.lost)
  if (lost) {
    const note = `${stepInWords(step.id)}: ${lost.doubt}, so whether it took effect is not known; run this scenario again`
    outcome.stop ??= Open.unproven(note)
  }
  return outcome
}

/** Presses a button of a page that was opened. */
export async function runPress(scenarioRun: ScenarioRun, step: NamedStep): Promise<StepOutcome> {
  const wish = step.page as PageStep & { press: string }
  const page = pageToPress(scenarioRun, wish.of)
  // Where it is only watched what a purchase leads to, a page that offers none has led to it already.
  if (wish.press === 'pay' && onlyObserves(step) && offersNothing(page))
    return reportedPages(scenarioRun, step, {
      kind: 'pages',
      visits: [{ visit: page, label: '' }],
      twinOutcome: null,
    })
  if (!isOpenPage(page)) throw Open.unproven('the page whose button is to be pressed did not open')
  const pressed = findButton(contentToPress(page), filledText(scenarioRun, wish.press))
  const payable = onlyWantsToPay(step) ? sessionToPay(scenarioRun, page) : null
  if (!pressed && payable) return payByOperator(scenarioRun, step, payable)
  if (!pressed)
    throw Open.notRun(
      'needs-dialect',
      `no button to ${wish.press} was recognized on the page that ${wish.of === undefined ? 'came before' : `step ${wish.of} opened`}`,
    )
  const given = filled(scenarioRun, (wish.fill ?? {}) as Template) as Record<string, unknown>
  const values = Object.fromEntries(Object.entries(given).map(([key, value]) => [key, String(value)]))
  const send = (what: Pressed) => (wish.press === 'pay' ? payOn : press)(scenarioRun, page, what, values)
  const visits = wish.alter
    ? await sendAltered(scenarioRun, page, pressed, wish.alter, send)
    : [{ visit: await send(pressed), label: '' }]
  const [last] = visits
  if (last && onlyWantsToPay(step) && asksForMore(last.visit, page, pressed)) {
    if (payable) return payByOperator(scenarioRun, step, payable)
    throw Open.notRun(
      'needs-dialect',
      'the page that followed asks for more, and no button to pay was recognized on it, so nothing may have been bought',
    )
  }
  return reportedPages(scenarioRun, step, { kind: 'pages', visits, twinOutcome: page })
}

/** Sends the form once for each changed character of its token. */
async function sendAltered(
  scenarioRun: ScenarioRun,
  page: PageVisit,
  pressed: Pressed,
  { query, at = 'each', how = 'other' }: NonNullable<PageStep['alter']>,
  send: (pressed: Pressed) => Promise<PageVisit>,
): Promise<{ visit: PageVisit; label: string }[]> {
  const { jar } = scenarioRun
  // As in openAltered: no cookie of the valid page lets an altered form through.
  scenarioRun.jar = createCookieJar(scenarioRun.run.wall)
  const visits: { visit: PageVisit; label: string }[] = []
  for (const { pressed: altered, position } of alteredForms(page.url, pressed, { query, at, how }))
    visits.push({ visit: await send(altered), label: alterationInWords({ query, how }, position) })
  scenarioRun.jar = jar
  return visits
}

/** Whether the payment can still be made or declined, or a form that was not on the page before wants something to be filled in: every page may have a newsletter. */
function asksForMore({ answer, content }: PageVisit, before: PageVisit, pressed: Pressed): boolean {
  if (content === null || !isAccepted(answer)) return false
  const [now, then] = [content, before.content].map((page) => page && findButton(page, 'decline'))
  const isNew = now?.kind === 'button' && now.form.method === 'POST' && (!then || outlineOf(now) !== outlineOf(then))
  if (isNew && findButton(content, 'pay')) return true
  const outlines = ({ forms }: PageContent) =>
    forms.flatMap((form) => {
      const [button] = form.buttons
      const asks = form.method === 'POST' && form.fields.some(({ type }) => type !== 'hidden')
      return asks && button ? [outlineOf({ kind: 'button', form, button })] : []
    })
  const known = [outlineOf(pressed), ...(before.content ? outlines(before.content) : [])]
  return outlines(content).some((outline) => !known.includes(outline))
}

/** A purchase may take more than one page: what is asked next is answered as well, within reason. */
const MOST_PAGES_OF_A_PURCHASE = 6

type Values = Readonly<Record<string, string>>

/** Presses on as long as each page asks for something new: what was asked before has been answered, and is not paid twice. */
async function payOn(scenarioRun: ScenarioRun, page: PageVisit, pressed: Pressed, given: Values): Promise<PageVisit> {
  const soFar = [outlineOf(pressed)]
  let visit = await pressDiligently(scenarioRun, page, pressed, given)
  while (soFar.length < MOST_PAGES_OF_A_PURCHASE) {
    const next = visit.content && isAccepted(visit.answer) ? nextToPay(visit.content, soFar) : null
    if (!next || sendsBack(next, visit)) break
    soFar.push(outlineOf(next))
    visit = await pressDiligently(scenarioRun, visit, next, given)
  }
  return visit
}

/** So long pages that say "please wait" may come again; a receipt may do so for ever. */
const LONGEST_REFRESHES_MS = 8_000

/** The page where those end that go on by themselves, while there is nothing on them to press. A receipt may lead home, where nothing is. */
async function goneOn(scenarioRun: ScenarioRun, visit: PageVisit): Promise<PageVisit> {
  let [page, leftMs] = [visit, LONGEST_REFRESHES_MS]
  while (page.location === null && isAccepted(page.answer)) {
    const { refresh, forms = [] } = page.content ?? {}
    if (!refresh || refresh.afterMs > leftMs || forms.some(({ method }) => method === 'POST')) break
    leftMs -= refresh.afterMs + 1_000
    await scenarioRun.run.pause(refresh.afterMs)
    const next = await follow(scenarioRun, page, refresh.href || page.url)
    if (next.location === null && !isAccepted(next.answer)) break
    page = next
  }
  return page
}

/** Whether a script sends the buyer on to another service: the purchase has been made then. */
function sendsBack(next: Pressed, { url, content }: PageVisit): boolean {
  if (next.kind === 'link' || next.form !== content?.sentByScript) return false
  return URL.canParse(next.form.action, url) && new URL(next.form.action, url).origin !== new URL(url).origin
}

/** A form that came back for want of an entry is sent again with every field filled in. */
async function pressDiligently(
  scenarioRun: ScenarioRun,
  page: PageVisit,
  pressed: Pressed,
  given: Values,
): Promise<PageVisit> {
  const send = async (...how: ['every field'?]) =>
    goneOn(scenarioRun, await press(scenarioRun, page, pressed, given, ...how))
  const visit = await send()
  return isIncomplete(visit, pressed, given) ? send('every field') : visit
}

function pageToPress(scenarioRun: ScenarioRun, id: string | undefined): PageVisit {
  const record = id === undefined ? null : scenarioRun.records.get(id)
  const page = id === undefined ? scenarioRun.latestPage : record?.kind === 'pages' ? record.visits[0] : null
  if (!page) throw Open.unproven(`step ${id ?? 'before'} opened no page with a button to press`)
  return page
}

function offersNothing({ answer, content }: PageVisit): boolean {
  return isRefused(answer) || (isAccepted(answer) && content !== null && sells(content) === false)
}

function press(
  scenarioRun: ScenarioRun,
  page: PageVisit,
  pressed: Pressed,
  given: Values,
  diligence: 'usual' | 'every field' = 'usual',
): Promise<PageVisit> {
  if (pressed.kind === 'link') return follow(scenarioRun, page, pressed.link.href)
  const { form, button } = pressed
  const action = new URL(button.action ?? form.action, page.url)
  if (action.origin !== new URL(page.url).origin)
    throw Open.notRun('needs-dialect', `the form leads to another service, ${action.host}`)
  const [method, encoding] = [button.method ?? form.method, button.encoding ?? form.encoding]
  const pairs = fillForm(form, button, given, diligence)
  if (method === 'GET') {
    action.search = new URLSearchParams(pairs).toString()
    return browse(scenarioRun, { method: 'GET', url: action.href, follow: true })
  }
  if (method !== 'POST' || encoding === 'text/plain')
    throw Open.notRun(
      'needs-dialect',
      `the form is sent by ${method} as ${encoding || 'usual'}, which is not known here`,
    )
  return browse(scenarioRun, {
    method: 'POST',
    url: action.href,
    form: { pairs, encoding },
    follow: true,
  })
}

/** A link that leads elsewhere is not followed: that it leads there is what came of it. */
async function follow(scenarioRun: ScenarioRun, page: PageVisit, href: string): Promise<PageVisit> {
  const url = URL.canParse(href, page.url) ? new URL(href, page.url) : null
  if (!url) throw Open.notRun('needs-dialect', 'the link has no address')
  if (url.origin !== new URL(page.url).origin) return { ...page, method: 'GET', asked: url.href, location: url.href }
  return browse(scenarioRun, { method: 'GET', url: url.href, follow: true })
}

/** @throws Open (not_run) if the page cannot be pressed at all. */
function contentToPress(visit: PageVisit): PageContent {
  if (visit.content) return visit.content
  throw Open.notRun('needs-dialect', 'what was opened is not an HTML page, so it has no button to press')
}

/**
 * Whether a step only wants the purchase made: nothing is asked of the page that follows, and the payment is not what is in question.
 */
function onlyWantsToPay(step: Step): boolean {
  if (step.page?.press !== 'pay' || step.page.alter) return false
  return (
    !onlyObserves(step) && expectationsOf(step).every((wish) => showsOf(wish).length === 0 && wish.roles === undefined)
  )
}

/** Pays in the place of a button. What the step would have observed of the page is not known then. */
async function payByOperator(
  scenarioRun: ScenarioRun,
  step: NamedStep,
  values: OperatorArguments,
): Promise<StepOutcome> {
  const outcome = await operate(scenarioRun, 'pay_checkout', values)
  if (!outcome.done) return { checks: [], stop: Open.unproven(`${stepInWords(step.id)}: ${outcome.why}`) }
  scenarioRun.records.set(step.id, { kind: 'operated' })
  const note = 'no button to pay was recognized, so pay_checkout of the target file was used'
  const unseen = Open.notRun('needs-dialect', note)
  const { title } = scenarioRun.scenario
  return {
    checks: observationsOf(step).map(({ gap }) => undone(title, { step: step.id, requirement: gap }, unseen)),
    stop: null,
  }
}

const MAX_REDIRECTS = 5
const MAX_URL_CHARACTERS = 8_192

/**
 * Opens a page as a browser does: with its cookies, without any header of ours. Redirects are followed within the page's
 * origin only; one that leads elsewhere is what came of it.
 *
 * @param request.once opening it is counted, so that it is opened once.
 * @throws Open (not_run) if the budget is used up, Open (inconclusive) if the page must not open the address.
 */
async function browse(
  scenarioRun: ScenarioRun,
  request: Omit<Asking, 'url' | 'once' | 'jar'> & { url: string; follow: boolean; jar?: Asking['jar']; once?: boolean },
): Promise<PageVisit> {
  let { method, form } = request
  let url = await pageUrl(scenarioRun, request.url)
  const { origin } = url
  scenarioRun.jar ??= createCookieJar(scenarioRun.run.wall)
  const { jar = scenarioRun.jar } = request
  for (let hops = 0; ; hops++) {
    const once = (request.once === true && hops === 0) || method !== 'GET'
    const { answer, exchange, doubt } = await ask(scenarioRun, { method, url, form, jar, once })
    const location = answer ? locationOf(answer, url) : null
    const isSameOrigin = location !== null && location.origin === origin
    if (location && isSameOrigin && request.follow && hops < MAX_REDIRECTS) {
      // Browsers continue with a GET, except where the status forbids it.
      if (answer?.status !== 307 && answer?.status !== 308) [method, form] = ['GET', undefined]
      url = location
      continue
    }
    // What was only asked for its status is not read: one step opens hundreds of pages.
    const content = whenAsked(() => (answer ? contentOf(answer) : null))
    return {
      method: request.method,
      asked: request.url,
      url: url.href,
      location: location?.href ?? null,
      answer,
      get content() {
        return content()
      },
      exchange,
      doubt,
      ...(once && isBadMoment(answer) ? { lost: true as const } : {}),
    }
  }
}

async function pageUrl({ run }: ScenarioRun, text: string): Promise<URL> {
  const url = URL.canParse(text) && text.length <= MAX_URL_CHARACTERS ? new URL(text) : null
  if (!url || !/^https?:$/.test(url.protocol))
    throw Open.unproven(`"${text.slice(0, 60)}" is not an http(s) address of a page`)
  const { url: targetUrl, operator } = run.target
  const of = { targetUrl, targetRealm: await run.targetRealm(), operatorUrl: operator?.url ?? null }
  const why = await whyNotOpen(url, of, run.senderOptions.resolve)
  if (why !== null) throw Open.unproven(why)
  return url
}

function locationOf(answer: Answer, base: URL): URL | null {
  const value = answer.status >= 300 && answer.status < 400 ? headerIn(answer.headers, 'location') : undefined
  return value !== undefined && URL.canParse(value, base.href) ? new URL(value, base.href) : null
}

interface Asked {
  answer: Answer | null
  exchange: string
  doubt: string | null
}

/** A browser's request. */
interface Asking {
  method: PageVisit['method']
  url: URL
  /** Fields of a form, for a POST, and how it says that they are sent. */
  form?: { pairs: readonly (readonly [string, string])[]; encoding: string } | undefined
  jar: ReturnType<typeof createCookieJar>
  /** It may not go out again. */
  once: boolean
}

/** A bad moment of the network or the server. */
function isBadMoment(answer: Answer | null): boolean {
  return answer === null || answer.status === 429 || isServerError(answer)
}

/** Sends one request; where it may go out again and met a bad moment, it does. */
async function ask(scenarioRun: ScenarioRun, asking: Asking): Promise<Asked> {
  const first = await askOnce(scenarioRun, asking)
  if (!isBadMoment(first.answer)) return { ...first, doubt: null }
  const came = `the page answered ${statusWord(first.answer)}`
  if (asking.once) return { ...first, doubt: `${came}, and opening or sending it again would count twice` }
  let again = first
  for (const pauseMs of PAUSES_MS) {
    await scenarioRun.run.pause(pauseMs)
    again = await askOnce(scenarioRun, asking)
    if (!isBadMoment(again.answer)) break
  }
  const changed = first.answer !== null && again.answer?.status !== first.answer.status
  if (again.answer?.status === 429 || changed)
    return { ...again, doubt: `${came} at first and ${statusWord(again.answer)} later` }
  return {
    ...again,
    doubt: isServerError(again.answer) ? await doubtByAnOrdinaryRead(scenarioRun, again.answer) : null,
  }
}

async function askOnce(scenarioRun: ScenarioRun, asking: Asking): Promise<Omit<Asked, 'doubt'>> {
  const { run } = scenarioRun
  const { url, jar, once } = asking
  const request = await requestOf(asking)
  const targetRealm = await run.targetRealm()
  const sender = senderTo(run, url.origin, (address) => whyNotReach(address, targetRealm) === null)
  const send = () => sender.send(request, { signal: run.signal, fresh: once })
  const reply = await inTurn(run, { isValid: false }, send)
  const { id, answer } = record(scenarioRun, { ...reply, request, canonicalString: null, origin: url.origin })
  if (answer) {
    noteLeak(run, answer, id)
    jar.store(url, answer.headers)
  }
  return { answer, exchange: id }
}

async function requestOf({ method, url, form, jar }: Asking): Promise<WireRequest> {
  const cookie = jar.headerFor(url)
  const content = form ? await encoded(form) : null
  // A visitor without a browser may be taken for a robot, whose visit does not count.
  const headers: [string, string][] = [
    ['user-agent', 'Mozilla/5.0 (X11; Linux x86_64) partner-sandbox-conformance'],
    ['accept', 'text/html,application/xhtml+xml,*/*;q=0.8'],
  ]
  if (cookie !== null) headers.push(['cookie', cookie])
  // A form that looks where it is sent from sees what a browser would send.
  if (content) headers.push(['origin', url.origin], ['content-type', content.type])
  return { method, target: url.pathname + url.search, headers, body: content?.body ?? new Uint8Array() }
}

/** A form as a browser sends it. */
async function encoded({ pairs, encoding }: NonNullable<Asking['form']>): Promise<{ type: string; body: Uint8Array }> {
  if (!encoding.startsWith('multipart')) {
    const text = new URLSearchParams(pairs.map(([name, value]) => [name, value])).toString()
    return { type: 'application/x-www-form-urlencoded', body: Buffer.from(text) }
  }
  const fields = new FormData()
  for (const [name, value] of pairs) fields.append(name, value)
  const sent = new Response(fields)
  return { type: sent.headers.get('content-type') ?? '', body: new Uint8Array(await sent.arrayBuffer()) }
}

/** A page of other content, or one that is still hidden, has nothing on it. */
function contentOf(answer: Answer): PageContent | null {
  const type = headerIn(answer.headers, 'content-type') ?? ''
  const html = /html|xml/i.test(type) || (type === '' && answer.body.length > 0)
  return html ? readPage(new TextDecoder('utf-8').decode(answer.body)) : null
}
