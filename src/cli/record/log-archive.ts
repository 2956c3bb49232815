import { jsonText } from '../../conformance/reports/escape.ts'
import { allRows } from '../../operator-api/all-rows.ts'
import type { WholeRequest } from '../../operator-api/rows/requests.ts'
import type { OperatorContext } from '../operator/operator-command.ts'

/**
 * The request log of a world as an HTTP Archive 1.2, oldest call first. The reason of a refusal and the findings of a proxy are in
 * `comment`.
 *
 * @param origin address that the calls were sent to.
 */
export async function logArchive({ client, world }: OperatorContext, origin: string, version: string): Promise<string> {
  const rows = (await allRows(client, world, 'requests.list', { limit: 1_000 })).reverse()
  const entries: object[] = []
  for (const { request_id } of rows) {
    entries.push(entryOf(await client.call('requests.show', { w: world, request_id }), origin))
  }
  const creator = { name: 'partner-sandbox', version }
  return `${jsonText({ log: { version: '1.2', creator, pages: [], entries, comment: 'secrets and signatures taken out' } })}\n`
}

function entryOf(
  { method, target, at, took_ms, reason, findings = [], request, answer, ...call }: WholeRequest,
  origin: string,
) {
  const answered = Object.entries(answer.headers).map(([name, value]) => [name, String(value)] as const)
  const said = [...(reason === null ? [] : [reason]), ...findings]
  return {
    startedDateTime: at,
    time: took_ms,
    request: {
      ...{ method, url: origin + target, httpVersion: 'HTTP/1.1', cookies: [] },
      headers: request.headers.map(pair),
      queryString: queryOf(target),
      ...(request.body !== '' && {
        postData: { mimeType: headerIn(request.headers, 'content-type'), params: [], text: request.body },
      }),
      ...{ headersSize: -1, bodySize: request.body_bytes },
    },
    response: {
      ...{ status: answer.status, statusText: '', httpVersion: 'HTTP/1.1', cookies: [] },
      headers: answered.map(pair),
      content: {
        size: Buffer.byteLength(answer.body),
        mimeType: headerIn(answered, 'content-type'),
        text: answer.body,
      },
      ...{ redirectURL: headerIn(answered, 'location'), headersSize: -1, bodySize: -1 },
    },
    cache: {},
    timings: { send: 0, wait: took_ms, receive: 0 },
    ...(said.length > 0 && { comment: said.join(' ') }),
    _request_id: call.request_id,
  }
}

type Headers = readonly (readonly [name: string, value: string])[]

function pair([name, value]: Headers[number]) {
  return { name, value }
}

function headerIn(headers: Headers, wanted: string): string {
  return headers.find(([name]) => name.toLowerCase() === wanted)?.[1] ?? ''
}

/** Names and values as they were sent, not decoded. */
function queryOf(target: string) {
  const [, ...query] = target.split('?')
  const pairs = query.join('?').match(/[^&]+/g) ?? []
  return pairs.map((text) => {
    const [name = '', ...value] = text.split('=')
    return { name, value: value.join('=') }
  })
}
