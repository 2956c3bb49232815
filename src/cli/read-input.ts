import { readFileSync, readSync } from 'node:fs'
import { CliError } from './session.ts'

const STANDARD_INPUT = 0

/**
 * The bytes of a file that an argument names; `-` is standard input.
 *
 * @param option the option that named it; null for an argument.
 * @throws CliError where it cannot be read.
 */
export function readInput(file: string, option: string | null = null): Buffer {
  try {
    return file === '-' ? readStandardInput() : readFileSync(file)
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? 'unknown error'
    throw new CliError(`${option === null ? '' : `${option}: `}cannot read ${file} (${why})`)
  }
}

const CHUNK_BYTES = 64 * 1024
const PAUSE_MS = 10

/** A pipe whose writer has not begun yet may say EAGAIN, which readFileSync takes for an error. */
function readStandardInput(): Buffer {
  const chunks: Uint8Array[] = []
  for (;;) {
    const chunk = readChunk()
    if (chunk === 'later') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
    else if (chunk.length === 0) return Buffer.concat(chunks)
    else chunks.push(chunk)
  }
}

function readChunk(): Uint8Array | 'later' {
  const buffer = Buffer.alloc(CHUNK_BYTES)
  try {
    return buffer.subarray(0, readSync(STANDARD_INPUT, buffer))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EAGAIN') return 'later'
    // Windows says so where a pipe ends.
    if (code === 'EOF') return new Uint8Array()
    throw error
  }
}
