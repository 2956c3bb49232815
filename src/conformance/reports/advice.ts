import type { CheckResult, NotRunReason, RedactedExchange } from '../result/result.ts'

const ADVICE: Readonly<Record<NotRunReason, string>> = {
  'needs-scope': 'Add a credential that has this scope to the target file, under credentials.',
  'needs-partner': 'Add a credential of another partner to the target file, with a different value under partner.',
  'needs-environment':
    'Add a credential of another environment to the target file: a different environment in its key id, or set environment next to it.',
  'needs-operator':
    'Describe how to move orders and time on the target: operator in the target file with mode: operator, or --operator-url URL --mode operator for a sandbox.',
  'needs-receiver': 'Set receiver in the target file to an address where the target can reach this machine.',
  'needs-fixture': 'List domains of this kind under fixtures in the target file.',
  'needs-dialect': 'Add the location of the value under dialect in the target file; discover finds most of them.',
  'read-only': 'Allow writes (mode: write, or --mode write beside a URL), on a target where orders cost nothing.',
  'open-point': 'Nothing: the document leaves this to the target, so it does not count against it.',
  budget:
    'Raise it: budget in the target file, or --budget orders=300,requests=20000 beside a URL; or run the scenarios in parts.',
  filtered: 'Run without the selection, or with another one.',
  interrupted: 'Run it to its end.',
  'dry-run': 'Run without --dry-run.',
}

/**
 * What would make a check that did not count count next time. Undefined: no check was part of the run at all.
 *
 * @param exchange the one that the check names.
 */
export function adviceFor(check: CheckResult | undefined, exchange?: RedactedExchange): string {
  if (check === undefined) return 'Select a scenario that shows it; scenario list --coverage names them.'
  if (check.verdict === 'not_run' && check.reason !== undefined) return ADVICE[check.reason]
  if (check.verdict === 'harness_error') return 'Report it: this tool failed here, not the target.'
  if (check.verdict === 'tolerated')
    return 'Nothing: two sentences of the document disagree, so neither answer counts against the target.'
  return check.todo ?? adviceOnDoubt(check, exchange)
}

/** The answer says most about why a check is inconclusive. */
function adviceOnDoubt({ twin }: CheckResult, exchange: RedactedExchange | undefined): string {
  if (twin !== undefined)
    return 'First make the same call succeed without its fault: check its answer, and whether its domain, scope or body fits.'
  if (exchange?.status === null)
    return 'Run it again. If the connection breaks again, check the target for a restart, a proxy or a timeout at that time.'
  if (exchange?.status === 429)
    return 'Slow the run down (--budget per_second=5, or budget in the target file), or raise the limit of this credential.'
  if (exchange !== undefined && exchange.status !== null && exchange.status >= 500)
    return "Check the target's log at the time of this answer, then run it again."
  return 'Compare what was expected with the transcript of this scenario (--reporter html=report.html), then run it again.'
}
