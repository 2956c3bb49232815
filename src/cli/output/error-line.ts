import { escapeLine } from '../../conformance/reporters/escape.ts'
import { CliError } from '../session.ts'

/** One line for standard error. Never a stack trace: of an unexpected error only the message is shown. */
export function errorLine(error: unknown): string {
  if (error instanceof CliError) return `error: ${escapeLine(error.message)}\n`
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return `error: this is a fault of partner-sandbox itself, please report it: ${escapeLine(message)}\n`
}
