import { escapeLine } from '../../conformance/reporters/escape.ts'
import type { RefusalNotice } from '../../server.ts'
import type { Session } from '../operator/session.ts'

/**
 * A refused call in one line, with the command that shows more.
 *
 * @example refusalLine(told, session) // 'refused GET /api/partner/v1/orders: The key id was … (partner-sandbox request show req_1)\n'
 */
export function refusalLine(
  { method, path, sentence, requestId, passedOver }: RefusalNotice,
  session: Session,
): string {
  const before =
    passedOver === 0 ? '' : `(${passedOver} more were refused before; see ${session.program} request list --refused)\n`
  return `${before}refused ${escapeLine(`${method} ${path}: ${sentence}`)} (${session.program} request show ${requestId})\n`
}
