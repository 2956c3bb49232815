import {
  accessSync,
  appendFileSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { CliError } from './session.ts'

const STANDARD_INPUT = 0

/**
 * The bytes of a file that an argument names; `-` is standard input.
 *
 * @param option the option that named it; null for an argument.
 * @throws CliError if the file cannot be read.
 */
export function readInput(file: string, option: string | null = null): Buffer {
  try {
    return file === '-' ? readStandardInput() : readFileSync(file)
  } catch (error) {
    throw unreadable(file, option, error)
  }
}

/**
 * Refuses a file that another module is about to read, so that the message names the flag and not a line of a missing file.
 *
 * @param mayBeFolder whether files below a folder are read, too.
 * @throws CliError if the file cannot be read.
 */
export function refuseUnreadable(file: string, option: string | null, mayBeFolder = false): void {
  try {
    accessSync(file, constants.R_OK)
    const found = statSync(file)
    if (!mayBeFolder && found.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' })
    // It is read more than once; a pipe can be read only once, and a device may never end.
    if (mayBeFolder && !found.isFile() && !found.isDirectory()) throw Object.assign(new Error(), { code: 'ENOTSUP' })
  } catch (error) {
    throw unreadable(file, option, error, mayBeFolder ? 'no such file or folder' : undefined)
  }
}

const WHY_UNREADABLE: Readonly<Record<string, string>> = {
  EACCES: 'no permission to read this file',
  EISDIR: 'this is a folder, not a file',
  ENOTSUP: 'this is a pipe or device, not a file',
}

function unreadable(file: string, option: string | null, error: unknown, isMissing = 'no such file'): CliError {
  const { code = 'unknown error' } = error as NodeJS.ErrnoException
  const missing = /^https?:/.test(file) ? 'this is an address, where a file is needed' : isMissing
  const why = code === 'ENOENT' || code === 'ENOTDIR' ? missing : WHY_UNREADABLE[code]
  return new CliError(`${option === null ? '' : `${option} `}${file}: ${why ?? `cannot be read (${code})`}`)
}

const CHUNK_BYTES = 64 * 1024
const PAUSE_MS = 10

function readStandardInput(): Buffer {
  const chunks: Uint8Array[] = []
  for (;;) {
    const buffer = Buffer.alloc(CHUNK_BYTES)
    try {
      const length = readSync(STANDARD_INPUT, buffer)
      if (length === 0) return Buffer.concat(chunks)
      chunks.push(buffer.subarray(0, length))
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      // Windows says so where a pipe ends.
      if (code === 'EOF') return Buffer.concat(chunks)
      // A pipe whose writer has not begun yet may say EAGAIN, which readFileSync takes for an error.
      if (code !== 'EAGAIN') throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
    }
  }
}

/**
 * Does something that writes a file. Its folder is made where it is missing.
 *
 * @param flag the option that named the file; null for an argument.
 * @throws CliError in one line where it cannot be written.
 * @example writingTo('reports/run.xml', '--reporter', () => writeFileSync('reports/run.xml', text))
 */
export function writingTo<Result>(file: string, flag: string | null, write: () => Result): Result {
  try {
    if (!existsSync(dirname(file))) makeFolder(dirname(file))
    return write()
  } catch (error) {
    throw unwritable(file, flag, error)
  }
}

/** One folder after the other: Node's own way of making several never ends where none can be made, as below /proc. */
function makeFolder(folder: string): void {
  if (!existsSync(dirname(folder))) makeFolder(dirname(folder))
  try {
    mkdirSync(folder)
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!existsSync(folder)) throw error
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

  /** Begins it. A file at that place may be readable by others, or be a link, so it is removed. */
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

  discard(): void {
    rmSync(this.path, { force: true })
  }
}

/** For a file that holds secrets. */
export const OWNER_ONLY = 0o600

/**
 * Writes a text file whole or not at all. Its permissions stay, a link to it stays a link, and if the text is the same it is
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

export function appendText(file: string, flag: string | null, text: string): void {
  writingTo(file, flag, () => appendFileSync(file, text))
}

/** The first bytes of a file, each as one character. @throws CliError where it cannot be read. */
export function readStart(file: string, bytes: number): string {
  try {
    const descriptor = openSync(file, 'r')
    try {
      const buffer = Buffer.alloc(bytes)
      return buffer.toString('latin1', 0, readSync(descriptor, buffer))
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    throw unreadable(file, null, error)
  }
}

/** Why a file cannot be written, for a command line. */
export function unwritable(file: string, flag: string | null, error: unknown): CliError {
  const { code, message } = error as NodeJS.ErrnoException
  return new CliError(`${flag === null ? '' : `${flag}: `}cannot write ${file} (${code ?? message})`)
}
