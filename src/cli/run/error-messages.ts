import { OperatorUnusableError } from '../../conformance/check-operator.ts'
import { CredentialRefusedError } from '../../conformance/refused-credential.ts'
import { TargetUnreachableError } from '../../conformance/run-options.ts'
import { NotRun } from '../../conformance/signals.ts'
import type { Target } from '../../conformance/target.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import { CliError } from '../operator/session.ts'

/** What kept the run from judging anything, as an error of the command line. */
export function inOneLine(error: unknown, { told }: Target): unknown {
  if (error instanceof TargetUnreachableError)
    return new CliError(`${error.message}; check the address, and that the target is running`, EXIT_CODES.unreachable)
  if (error instanceof CredentialRefusedError) {
    const where = told === 'in a file' ? 'the credential main of the target file' : '--key-id and PARTNER_SECRET'
    return new CliError(`${error.message}. Check ${where}; "partner-sandbox sign" shows what a call is signed over`)
  }
  // A run puts this into its report; what reads before a run has none.
  if (error instanceof NotRun)
    return new CliError(`the target cannot be read now: ${error.message}`, EXIT_CODES.unreachable)
  if (!(error instanceof OperatorUnusableError)) return error
  const [address, world] = told === 'in a file' ? ['operator.url', 'operator.world'] : ['--operator-url', '--world']
  if (error.unreachable) return new CliError(`${error.message}; check ${address}`, EXIT_CODES.unreachable)
  return new CliError(`${error.message}; check ${address}, ${world} and the operator token`)
}
