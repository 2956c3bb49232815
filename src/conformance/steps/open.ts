import type { ScenarioRun } from '../context/run.ts'
import type { PageStep, Step } from '../format/scenario.ts'
import { isOpenPage, type PagesSubject } from '../judge/judge-page.ts'
import { type StepOutcome, stepInWords } from '../judge/placed-check.ts'
import { filledText } from '../judge/references.ts'
import { alteredUrls } from '../pages/alter-token.ts'
import { createCookieJar } from '../pages/cookie-jar.ts'
import type { PageVisit } from '../pages/page-visit.ts'
import { Open } from '../result/open.ts'
import { browse } from './browse.ts'
import { reported } from './report-step.ts'

/** Opens a page, or the same page with one character changed at a time. */
export async function runOpen(scenarioRun: ScenarioRun, step: Step, name: string): Promise<StepOutcome> {
  const wish = step.page as PageStep
  const url = filledText(scenarioRun, wish.open ?? '')
  refuseRelative(wish.open ?? '', url)
  if (wish.cookies === 'fresh') scenarioRun.jar = createCookieJar(scenarioRun.run.wall)
  const visits = wish.alter
    ? await openAltered(scenarioRun, url, wish)
    : [{ visit: await openOne(scenarioRun, url, wish), label: '' }]
  const twinOutcome = wish.alter ? await openOne(scenarioRun, url, wish) : seenOpen(scenarioRun, url)
  return reportedPages(scenarioRun, step, name, { kind: 'pages', visits, twinOutcome })
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

function openOne(scenarioRun: ScenarioRun, url: string, { follow = true }: PageStep): Promise<PageVisit> {
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
      record.kind === 'calls' &&
      record.exchanges.some(
        ({ call: { op }, answer }) =>
          op?.startsWith('links.') && answer && JSON.stringify(answer.json)?.includes(JSON.stringify(url)),
      ),
  )
}

/** The number of pages that are opened at once. */
const PAGES_AT_ONCE = 8

async function openAltered(scenarioRun: ScenarioRun, url: string, wish: PageStep): Promise<PagesSubject['visits']> {
  const { query = 'pt', at = 'each', how = 'other' } = wish.alter ?? {}
  const queue = alteredUrls(url, { query, at, how })
  const opened: { visit: PageVisit; label: string; position: number }[] = []
  // A browser of their own, so that no cookie of the valid page lets an altered one through.
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

/** Keeps and reports the pages that a step has opened. */
export function reportedPages(scenarioRun: ScenarioRun, step: Step, name: string, subject: PagesSubject): StepOutcome {
  const visits = subject.visits.map(({ visit }) => visit)
  scenarioRun.records.set(name, { kind: 'pages', visits })
  const [first] = visits
  if (first && visits.length === 1) scenarioRun.latestPage = first
  const outcome = reported(scenarioRun, step, name, subject, first?.exchange ?? null)
  const lost = visits.find((visit) => visit.lost)
  if (lost) {
    const note = `${stepInWords(name)}: ${lost.doubt}, so whether it took effect is not known; run this scenario again`
    outcome.stop ??= Open.unproven(note)
  }
  return outcome
}
