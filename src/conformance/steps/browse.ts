import { type ScenarioRun, senderTo } from '../context/run.ts'
import { inTurn, PAUSES_MS, record } from '../context/send-call.ts'
import { whyNotOpen, whyNotReach } from '../http/address.ts'
import { type Answer, headerOf, isServerError, statusWord, type WireRequest } from '../http/exchange.ts'
import type { PageRequest, PageVisit } from '../pages/page-visit.ts'
import { type PageContent, readPage } from '../pages/read-page.ts'
import { Open } from '../result/open.ts'
import { whenAsked } from '../result/when-asked.ts'
import { doubtByAnOrdinaryRead } from './send-until-sure.ts'

const MAX_REDIRECTS = 5
const MAX_URL_CHARACTERS = 8_192

/**
 * Opens a page as a browser does: with its cookies, without any header of ours. Redirects are followed within the page's
 * origin only; one that leads elsewhere is what came of it.
 *
 * @throws Open (not_run) if the budget is used up, Open (inconclusive) if the page must not open the address.
 */
export async function browse(scenarioRun: ScenarioRun, request: PageRequest): Promise<PageVisit> {
  let { method, form } = request
  let url = await pageUrl(scenarioRun, request.url)
  const { origin } = url
  for (let hops = 0; ; hops++) {
    const once = (request.once === true && hops === 0) || method !== 'GET'
    const { answer, exchange, doubt } = await ask(scenarioRun, { method, url, form, jar: request.jar, once })
    const location = answer ? locationOf(answer, url) : null
    const stays = location !== null && location.origin === origin
    if (location && stays && request.follow && hops < MAX_REDIRECTS) {
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
  const of = { targetUrl, targetRealm: await run.targetRealm, operatorUrl: operator?.url ?? null }
  const why = await whyNotOpen(url, of, run.senderOptions.resolve)
  if (why !== null) throw Open.unproven(why)
  return url
}

function locationOf(answer: Answer, base: URL): URL | null {
  const value = answer.status >= 300 && answer.status < 400 ? headerOf(answer, 'location') : undefined
  return value !== undefined && URL.canParse(value, base.href) ? new URL(value, base.href) : null
}

interface Asked {
  answer: Answer | null
  exchange: string
  doubt: string | null
}

interface Asking extends Pick<PageRequest, 'method' | 'jar'> {
  url: URL
  form: PageRequest['form']
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
  const request = requestOf(asking)
  const targetRealm = await run.targetRealm
  const sender = senderTo(run, url.origin, (address) => whyNotReach(address, targetRealm) === null)
  const send = () => sender.send(request, { signal: run.signal, fresh: once })
  const reply = await inTurn(run, { isValid: false }, send)
  const { id, answer } = record(scenarioRun, { ...reply, request, canonicalString: null, origin: url.origin })
  if (answer) jar.store(url, answer.headers)
  return { answer, exchange: id }
}

function requestOf({ method, url, form, jar }: Asking): WireRequest {
  const cookie = jar.headerFor(url)
  const body = form ? Buffer.from(new URLSearchParams(form.map(([name, value]) => [name, value])).toString()) : null
  const headers: [string, string][] = [['accept', 'text/html,application/xhtml+xml,*/*;q=0.8']]
  if (cookie !== null) headers.push(['cookie', cookie])
  // A form that looks where it is sent from sees what a browser would send.
  if (body) headers.push(['origin', url.origin], ['content-type', 'application/x-www-form-urlencoded'])
  return { method, target: url.pathname + url.search, headers, body: body ?? new Uint8Array() }
}

/** A page of other content, or one that is still hidden, has nothing on it. */
function contentOf(answer: Answer): PageContent | null {
  const type = headerOf(answer, 'content-type') ?? ''
  const html = /html|xml/i.test(type) || (type === '' && answer.body.length > 0)
  return html ? readPage(new TextDecoder('utf-8').decode(answer.body)) : null
}
