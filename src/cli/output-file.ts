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

/** A file that is written beside its place, so that it is there whole or not at all. */
export class PartialFile {
  readonly path: string
  readonly #file: string

  /** Begins it; whatever lies there may be readable by others, or lead elsewhere, and is removed. */
  constructor(file: string, mode: number) {
    this.#file = file
    this.path = `${file}.part`
    this.discard()
    writeFileSync(this.path, '', { mode, flag: 'wx' })
  }

  /** Gives it its name; a file of that name is replaced. */
  finish(text?: string): void {
    if (text !== undefined) writeFileSync(this.path, text)
    renameSync(this.path, this.#file)
  }

  /** Removes what is not finished. */
  discard(): void {
    rmSync(this.path, { force: true })
  }
}

/** For a file that holds secrets. */
export const OWNER_ONLY = 0o600

/**
 * Writes a text file whole or not at all. Its permissions stay, a link to it stays a link, and where nothing changes it is
 * not touched.
 *
 * @param modeOfNew permissions of a file that was not there.
 * @throws CliError where it cannot be written.
 */
export function replaceText(file: string, flag: string | null, text: string, modeOfNew = 0o666): void {
  writingTo(file, flag, () => {
    const isThere = existsSync(file)
    const place = isThere ? realpathSync(file) : file
    if (isThere && readFileSync(place, 'utf8') === text) return
    const partial = new PartialFile(place, isThere ? statSync(place).mode & 0o777 : modeOfNew)
    try {
      partial.finish(text)
    } finally {
      partial.discard()
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
