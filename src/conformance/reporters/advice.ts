import type { CheckResult, NotRunReason } from '../result.ts'

const ADVICE: Readonly<Record<NotRunReason, string>> = {
  'needs-scope': 'Give the run a credential that has this scope, under credentials in the target file.',
  'needs-partner': 'Add a credential of another partner to the target file, with its partner set to another word.',
  'needs-environment':
    'Add a credential of another environment to the target file: another word in its key id, or environment beside it.',
  'needs-operator':
    'Tell the run how to move orders and time on the target: operator in the target file, with mode: operator.',
  'needs-receiver':
    'Set receiver in the target file to an address at which the target can reach the machine of the run.',
  'needs-fixture': 'List domains of this kind under fixtures in the target file.',
  'needs-dialect':
    'Say where in its answers the target has the value, under dialect in the target file; discover finds most.',
  'read-only': 'Let the run write to the target: mode: write, on a target where orders cost nothing.',
  'open-point': 'Nothing: the document leaves this to the target, so it does not count against it.',
  budget:
    'Raise it: budget in the target file, or --budget orders=300,requests=20000 beside a URL; or run the scenarios in parts.',
  filtered: 'Run without the selection, or with another one.',
  interrupted: 'Let the run come to its end, or resume it from its log.',
  'dry-run': 'Run without --dry-run.',
}

/** What would make a check that did not count count next time. Undefined: no check was part of the run at all. */
export function adviceFor(check: CheckResult | undefined): string {
  if (check === undefined) return 'Select a scenario that shows it; scenario list --coverage names them.'
  if (check.verdict === 'not_run' && check.reason !== undefined) return ADVICE[check.reason]
  if (check.verdict === 'harness_error') return 'Report it: the tool failed here, and the target has no part in it.'
  if (check.verdict === 'tolerated')
    return 'Nothing: where two sentences of the document disagree, neither answer counts against the target.'
  return 'Look at the transcript: the connection broke, the sound call beside it was refused as well, or the target was not as the scenario takes it to be. Then run it again.'
}
