import { operate } from '../context/operator.ts'
import type { ScenarioRun } from '../context/run.ts'
import type { OperatorArguments } from '../format/operator-actions.ts'
import type { PageStep, Step, Template } from '../format/scenario.ts'
import { expectationsOf, observationsOf, showsOf } from '../format/step-facts.ts'
import { isAccepted } from '../http/exchange.ts'
import { isOpenPage, type PagesSubject, sessionToPay } from '../judge/judge-page.ts'
import { type StepOutcome, stepInWords, undone } from '../judge/placed-check.ts'
import { filled, filledText } from '../judge/references.ts'
import { alteredForms } from '../pages/alter-token.ts'
import { createCookieJar } from '../pages/cookie-jar.ts'
import { type Diligence, fillForm, isIncomplete, nextToPay, outlineOf } from '../pages/fill-form.ts'
import { findButton, type Pressed } from '../pages/page-buttons.ts'
import type { PageVisit } from '../pages/page-visit.ts'
import type { PageContent } from '../pages/read-page.ts'
import { Open } from '../result/open.ts'
import { browse } from './browse.ts'
import { reportedPages } from './open.ts'

/** Presses a button of a page that was opened. */
export async function runPress(scenarioRun: ScenarioRun, step: Step, name: string): Promise<StepOutcome> {
  const wish = step.page as PageStep & { press: string }
  const page = pageToPress(scenarioRun, wish.of)
  const pressed = findButton(contentToPress(page), filledText(scenarioRun, wish.press))
  const payable = pressed || !onlyWantsToPay(step) ? null : sessionToPay(scenarioRun, page)
  if (payable) return payByOperator(scenarioRun, step, name, payable)
  if (!pressed)
    throw Open.notRun(
      'needs-dialect',
      `no button to ${wish.press} was recognized on the page of step ${wish.of ?? 'before'}`,
    )
  const given = filled(scenarioRun, (wish.fill ?? {}) as Template) as Record<string, unknown>
  const values = Object.fromEntries(Object.entries(given).map(([key, value]) => [key, String(value)]))
  const send = (what: Pressed) => (wish.press === 'pay' ? payOn : press)(scenarioRun, page, what, values)
  const visits = wish.alter
    ? await sendAltered(scenarioRun, page, pressed, wish.alter, send)
    : [{ visit: await send(pressed), label: '' }]
  return reportedPages(scenarioRun, step, name, { kind: 'pages', visits, twinOutcome: page })
}

/** Sends the form once for each changed character of its token. */
async function sendAltered(
  scenarioRun: ScenarioRun,
  page: PageVisit,
  pressed: Pressed,
  { query, at = 'each', how = 'other' }: NonNullable<PageStep['alter']>,
  send: (pressed: Pressed) => Promise<PageVisit>,
): Promise<PagesSubject['visits']> {
  const { jar } = scenarioRun
  // As in openAltered: no cookie of the valid page lets an altered form through.
  scenarioRun.jar = createCookieJar(scenarioRun.run.wall)
  const visits: PagesSubject['visits'][number][] = []
  for (const { pressed: altered, position } of alteredForms(page.url, pressed, { query, at, how }))
    visits.push({ visit: await send(altered), label: `with character ${position + 1} of ${query} changed` })
  scenarioRun.jar = jar
  return visits
}

/** A purchase may take more than one page: what is asked next is answered as well, within reason. */
const MOST_PAGES_OF_A_PURCHASE = 4

type Values = Readonly<Record<string, string>>

/** Presses on as long as each page asks for something new: what was asked before has been answered, and is not paid twice. */
async function payOn(scenarioRun: ScenarioRun, page: PageVisit, pressed: Pressed, given: Values): Promise<PageVisit> {
  const soFar = [outlineOf(pressed)]
  let visit = await pressDiligently(scenarioRun, page, pressed, given)
  while (soFar.length < MOST_PAGES_OF_A_PURCHASE) {
    const next = visit.content && isAccepted(visit.answer) ? nextToPay(visit.content, soFar) : null
    if (!next) break
    soFar.push(outlineOf(next))
    visit = await pressDiligently(scenarioRun, visit, next, given)
  }
  return visit
}

/** A form that came back for want of an entry is sent again with every field filled in. */
async function pressDiligently(
  scenarioRun: ScenarioRun,
  page: PageVisit,
  pressed: Pressed,
  given: Values,
): Promise<PageVisit> {
  const visit = await press(scenarioRun, page, pressed, given)
  return isIncomplete(visit, pressed, given) ? press(scenarioRun, page, pressed, given, 'every field') : visit
}

function pageToPress(scenarioRun: ScenarioRun, id: string | undefined): PageVisit {
  const record = id === undefined ? null : scenarioRun.records.get(id)
  const page = id === undefined ? scenarioRun.latestPage : record?.kind === 'pages' ? record.visits[0] : null
  if (!page) throw Open.unproven(`step ${id ?? 'before'} opened no page with a button to press`)
  if (!isOpenPage(page)) throw Open.unproven('the page whose button is to be pressed did not open')
  return page
}

function press(
  scenarioRun: ScenarioRun,
  page: PageVisit,
  pressed: Pressed,
  given: Values,
  diligence: Diligence = 'usual',
): Promise<PageVisit> {
  const { jar } = scenarioRun
  if (pressed.kind === 'link') return follow(scenarioRun, page, pressed.link.href)
  const { form, button } = pressed
  const action = new URL(button.action ?? form.action, page.url)
  if (action.origin !== new URL(page.url).origin)
    throw Open.notRun('needs-dialect', `the form leads to another service, ${action.host}`)
  const method = button.method ?? form.method
  const pairs = fillForm(form, button, given, diligence)
  if (method === 'GET') {
    action.search = new URLSearchParams(pairs).toString()
    return browse(scenarioRun, { method: 'GET', url: action.href, follow: true, jar })
  }
  if (method !== 'POST' || form.encoding.startsWith('multipart') || form.encoding === 'text/plain')
    throw Open.notRun(
      'needs-dialect',
      `the form is sent by ${method} as ${form.encoding || 'usual'}, which is not known here`,
    )
  return browse(scenarioRun, { method: 'POST', url: action.href, form: pairs, follow: true, jar })
}

/** A link that leads elsewhere is not followed: that it leads there is what came of it. */
async function follow(scenarioRun: ScenarioRun, page: PageVisit, href: string): Promise<PageVisit> {
  const url = URL.canParse(href, page.url) ? new URL(href, page.url) : null
  if (!url) throw Open.notRun('needs-dialect', 'the link has no address')
  if (url.origin !== new URL(page.url).origin) return { ...page, method: 'GET', asked: url.href, location: url.href }
  return browse(scenarioRun, { method: 'GET', url: url.href, follow: true, jar: scenarioRun.jar })
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
  const mayFail = step.observe !== undefined && step.expect === undefined
  return !mayFail && expectationsOf(step).every((wish) => showsOf(wish).length === 0 && wish.roles === undefined)
}

/** Pays in the place of a button. What the step would have observed of the page is not known then. */
async function payByOperator(
  scenarioRun: ScenarioRun,
  step: Step,
  name: string,
  values: OperatorArguments,
): Promise<StepOutcome> {
  const outcome = await operate(scenarioRun, 'pay_checkout', values)
  if (!outcome.done) return { checks: [], stop: Open.unproven(`${stepInWords(name)}: ${outcome.why}`) }
  scenarioRun.records.set(name, { kind: 'operated' })
  const note = 'no button to pay was recognized, so pay_checkout of the target file was used'
  const unseen = Open.notRun('needs-dialect', note)
  const { title } = scenarioRun.scenario
  return { checks: observationsOf(step).map(({ gap }) => undone(title, name, gap, unseen)), stop: null }
}
