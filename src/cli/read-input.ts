import { readFileSync } from 'node:fs'
import { CliError } from './session.ts'

const STANDARD_INPUT = 0

/**
 * The bytes of a file that an argument names; `-` is standard input.
 *
 * @throws CliError where it cannot be read.
 */
export function readInput(file: string): Uint8Array {
  try {
    return readFileSync(file === '-' ? STANDARD_INPUT : file)
  } catch (error) {
    throw new CliError(`cannot read ${file} (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`)
  }
}
