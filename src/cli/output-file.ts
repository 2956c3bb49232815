import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
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

/**
 * Writes a text file whole or not at all: what one of that name says stays until all of the text is on the disk. Its
 * permissions stay, a link to it stays a link, and where nothing changes it is not touched.
 *
 * @param modeOfNew permissions of a file that was not there.
 * @throws CliError where it cannot be written.
 */
export function replaceText(file: string, flag: string | null, text: string, modeOfNew = 0o666): void {
  writingTo(file, flag, () => {
    const isThere = existsSync(file)
    const place = isThere ? realpathSync(file) : file
    if (isThere && readFileSync(place, 'utf8') === text) return
    const partial = `${place}.part`
    try {
      rmSync(partial, { force: true })
      writeFileSync(partial, text, { mode: isThere ? statSync(place).mode & 0o777 : modeOfNew, flag: 'wx' })
      renameSync(partial, place)
    } finally {
      rmSync(partial, { force: true })
    }
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
