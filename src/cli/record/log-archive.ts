import { archiveEntry, archiveText } from '../../conformance/reports/har.ts'
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
    const call = await client.call('requests.show', { w: world, request_id })
    entries.push({ ...entryOf(call, origin), _request_id: request_id })
  }
  return archiveText({ name: 'partner-sandbox', version }, 'secrets and signatures taken out', entries)
}

function entryOf(
  { method, target, at, took_ms, reason, findings = [], request, answer }: WholeRequest,
  origin: string,
) {
  return archiveEntry({
    startedAt: at,
    tookMs: took_ms,
    method,
    url: origin + target,
    status: answer.status,
    requestHeaders: request.headers,
    requestBody: request.body,
    responseBody: answer.body,
    responseHeaders: Object.entries(answer.headers).map(([name, value]) => [name, String(value)]),
    comment: [...(reason === null ? [] : [reason]), ...findings].join(' '),
  })
}
