import type { ScenarioRun } from '../context/scenario-run.ts'
import type { OpenStep, Step, SubmitStep, Template } from '../format/scenario.ts'
import { isAccepted } from '../http/answer.ts'
import { isOpenPage, type PagesSubject } from '../judge/judge-page.ts'
import { type StepOutcome, stepInWords } from '../judge/pending-checks.ts'
import { filled, filledText } from '../judge/references.ts'
import { sessionToPay } from '../judge/session-to-pay.ts'
import { alteredForms } from '../pages/alter-form.ts'
import { alteredUrls } from '../pages/alter-query.ts'
import { createCookieJar } from '../pages/cookie-jar.ts'
import { type Diligence, fillForm } from '../pages/fill-form.ts'
import { findButton, type Pressed } from '../pages/page-buttons.ts'
import type { PageVisit } from '../pages/page-visit.ts'
import { isIncomplete, nextToPay, outlineOf } from '../pages/purchase.ts'
import { NotRun, Unproven } from '../result/signals.ts'
import { browse, contentToPress } from './browse.ts'
import { onlyWantsToPay, payByOperator } from './pay-by-operator.ts'
import { reported } from './report-step.ts'

/** Opens a page, or the same page with one character changed at a time. */
export async function runOpen(scenarioRun: ScenarioRun, step: Step, name: string): Promise<StepOutcome> {
  const wish: OpenStep = typeof step.open === 'string' ? { url: step.open } : (step.open ?? { url: '' })
  const url = filledText(scenarioRun, wish.url)
  if (wish.cookies === 'fresh') scenarioRun.jar = createCookieJar(scenarioRun.run.wall)
  const visits = wish.alter
    ? await openAltered(scenarioRun, url, wish)
    : [{ visit: await openOne(scenarioRun, url, wish), label: '' }]
  const twinOutcome = wish.alter ? await openOne(scenarioRun, url, wish) : seenOpen(scenarioRun, url)
  return concluded(scenarioRun, step, name, { kind: 'pages', visits, twinOutcome })
}

function openOne(scenarioRun: ScenarioRun, url: string, { follow = true }: OpenStep): Promise<PageVisit> {
  return browse(scenarioRun, {
    method: 'GET',
    url,
    follow,
    jar: scenarioRun.jar,
    once: isTrackingLink(scenarioRun, url),
  })
}

/** Whether the target gave this address in answer to an operation on links: opening it is counted. */
function isTrackingLink(scenarioRun: ScenarioRun, url: string): boolean {
  return [...scenarioRun.records.values()].some(
    (record) =>
      record.kind === 'turns' &&
      record.turns.some(
        ({ attempt: { op }, answer }) =>
          op?.startsWith('links.') && answer && JSON.stringify(answer.json)?.includes(JSON.stringify(url)),
      ),
  )
}

/** So many pages are opened at once. */
const PAGES_AT_ONCE = 8

async function openAltered(scenarioRun: ScenarioRun, url: string, wish: OpenStep): Promise<PagesSubject['visits']> {
  const { query = 'pt', at = 'each', how = 'other' } = wish.alter ?? {}
  const queue = alteredUrls(url, { query, at, how })
  const opened: { visit: PageVisit; label: string; position: number }[] = []
  // A browser of their own, so that no cookie of the sound page lets an altered one through.
  const jar = createCookieJar(scenarioRun.run.wall)
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const { position } = next
      const visit = await browse(scenarioRun, { method: 'GET', url: next.url, follow: wish.follow ?? true, jar })
      opened.push({ visit, position, label: `with character ${position + 1} of ${query} changed` })
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

/** Presses a button of a page that was opened. */
export async function runSubmit(scenarioRun: ScenarioRun, step: Step, name: string): Promise<StepOutcome> {
  const wish = step.submit as SubmitStep
  const page = pageToPress(scenarioRun, wish.page)
  const pressed = findButton(contentToPress(page), filledText(scenarioRun, wish.button))
  const payable = pressed || !onlyWantsToPay(step) ? null : sessionToPay(scenarioRun, page)
  if (payable) return payByOperator(scenarioRun, step, name, payable)
  if (!pressed)
    throw new NotRun(
      'needs-dialect',
      `no button to ${wish.button} was made out on the page of step ${wish.page ?? 'before'}`,
    )
  const given = filled(scenarioRun, (wish.fill ?? {}) as Template) as Record<string, unknown>
  const values = Object.fromEntries(Object.entries(given).map(([key, value]) => [key, String(value)]))
  const send = (what: Pressed) => (wish.button === 'pay' ? payOn : press)(scenarioRun, page, what, values)
  const visits = wish.alter
    ? await sendAltered(scenarioRun, page, pressed, wish.alter, send)
    : [{ visit: await send(pressed), label: '' }]
  return concluded(scenarioRun, step, name, { kind: 'pages', visits, twinOutcome: page })
}

/** Sends the form once for each changed character of its token. */
async function sendAltered(
  scenarioRun: ScenarioRun,
  page: PageVisit,
  pressed: Pressed,
  { query, at = 'each', how = 'other' }: NonNullable<SubmitStep['alter']>,
  send: (pressed: Pressed) => Promise<PageVisit>,
): Promise<PagesSubject['visits']> {
  const { jar } = scenarioRun
  // As in openAltered: no cookie of the sound page lets an altered form through.
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

/** What was sent back for want of an entry is sent once more with every field filled in. */
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
  if (!page) throw new Unproven(`there is no page of step ${id ?? 'before'} to press a button on`)
  if (!isOpenPage(page)) throw new Unproven('the page whose button is to be pressed did not open')
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
    throw new NotRun('needs-dialect', `the form leads to another service, ${action.host}`)
  const method = button.method ?? form.method
  const pairs = fillForm(form, button, given, diligence)
  if (method === 'GET') {
    action.search = new URLSearchParams(pairs).toString()
    return browse(scenarioRun, { method: 'GET', url: action.href, follow: true, jar })
  }
  if (method !== 'POST' || form.encoding.startsWith('multipart') || form.encoding === 'text/plain')
    throw new NotRun(
      'needs-dialect',
      `the form is sent by ${method} as ${form.encoding || 'usual'}, which is not known here`,
    )
  return browse(scenarioRun, { method: 'POST', url: action.href, form: pairs, follow: true, jar })
}

/** A link that leads elsewhere is not followed: that it leads there is what came of it. */
async function follow(scenarioRun: ScenarioRun, page: PageVisit, href: string): Promise<PageVisit> {
  const url = URL.canParse(href, page.url) ? new URL(href, page.url) : null
  if (!url) throw new NotRun('needs-dialect', 'the link has no address')
  if (url.origin !== new URL(page.url).origin) return { ...page, method: 'GET', asked: url.href, location: url.href }
  return browse(scenarioRun, { method: 'GET', url: url.href, follow: true, jar: scenarioRun.jar })
}

function concluded(scenarioRun: ScenarioRun, step: Step, name: string, subject: PagesSubject): StepOutcome {
  const visits = subject.visits.map(({ visit }) => visit)
  scenarioRun.records.set(name, { kind: 'pages', visits })
  const [first] = visits
  if (first && visits.length === 1) scenarioRun.latestPage = first
  const outcome = reported(scenarioRun, step, name, subject, first?.exchange ?? null)
  const lost = visits.find((visit) => visit.lost)
  if (lost) {
    const note = `${stepInWords(name)}: ${lost.doubt}, so whether it took effect is not known; run this scenario again`
    outcome.stop ??= { verdict: 'inconclusive', note }
  }
  return outcome
}
