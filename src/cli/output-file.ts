import { appendFileSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { CliError } from './session.ts'

/**
 * Does something that writes a file. Its folder is made where it is missing.
 *
 * @param flag the option that named the file; null for an argument.
 * @throws CliError in one line where it cannot be written.
 * @example writingTo('reports/run.xml', '--reporter', () => writeFileSync('reports/run.xml', text))
 */
export function writingTo<Result>(file: string, flag: string | null, write: () => Result): Result {
  try {
    mkdirSync(dirname(file), { recursive: true })
    return write()
  } catch (error) {
    throw unwritable(file, flag, error)
  }
}

/** Writes a text file; one of that name is replaced. */
export function saveText(file: string, flag: string | null, text: string): void {
  writingTo(file, flag, () => writeFileSync(file, text))
}

/** The same for a file that says something already, which it goes on saying until all of the text is on the disk. */
export function replaceText(file: string, flag: string | null, text: string): void {
  const beside = `${file}.new`
  writingTo(file, flag, () => {
    writeFileSync(beside, text)
    renameSync(beside, file)
  })
}

/** Adds to the end of a text file. */
export function appendText(file: string, flag: string | null, text: string): void {
  writingTo(file, flag, () => appendFileSync(file, text))
}

/** Why a file cannot be written, for a command line. */
export function unwritable(file: string, flag: string | null, error: unknown): CliError {
  const { code, message } = error as NodeJS.ErrnoException
  return new CliError(`${flag === null ? '' : `${flag}: `}cannot write ${file} (${code ?? message})`)
}
