import { type AuditReport, audit } from '../../sandbox/reports/audit/audit.ts'
import type { Difference } from '../../sandbox/reports/audit/difference.ts'
import { ok, worldRoute } from '../route.ts'

const show = worldRoute('GET', '/audit', {
  summary: 'Works out all money anew: whether it is `balanced`, what was `checked`, the `differences`.',
  handle: async ({ world }) => ok(presentReport(await audit(world))),
})

function presentReport({ balanced, checked, differences, leftOut }: AuditReport) {
  const { undoneByPartner, ...rest } = checked
  return {
    balanced,
    checked: { ...rest, undone_by_partner: undoneByPartner },
    differences: differences.map(presentDifference),
    differences_left_out: leftOut,
  }
}

function presentDifference(difference: Difference) {
  const { what, id } = difference
  return 'expectedCents' in difference
    ? { what, id, expected_cents: difference.expectedCents, found_cents: difference.foundCents }
    : { what, id, expected: difference.expected, found: difference.found }
}

export const auditRoutes = [show]
