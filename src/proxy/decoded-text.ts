import { brotliDecompressSync, constants, gunzipSync, inflateSync } from 'node:zlib'

/** A small body may become a large one. */
const MOST_BYTES = 8 * 1024 * 1024

const { BROTLI_OPERATION_FLUSH: brotliFlush, Z_SYNC_FLUSH: zlibFlush } = constants

/** A body that was cut gives what is there. */
const ZLIB = { maxOutputLength: MOST_BYTES, finishFlush: zlibFlush }

const DECODERS: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  gzip: (bytes) => gunzipSync(bytes, ZLIB),
  'x-gzip': (bytes) => gunzipSync(bytes, ZLIB),
  deflate: (bytes) => inflateSync(bytes, ZLIB),
  br: (bytes) => brotliDecompressSync(bytes, { maxOutputLength: MOST_BYTES, finishFlush: brotliFlush }),
}

/**
 * A copy of a body as text, with its Content-Encoding undone; empty if that cannot be done.
 *
 * @example decodedText(gzipSync('{}'), ['gzip']) // '{}'
 */
export function decodedText(bytes: Uint8Array, encodings: readonly string[]): string {
  const names = encodings.flatMap((value) => value.split(',')).map((name) => name.trim().toLowerCase())
  let decoded = bytes
  for (const name of names.filter((each) => each !== '' && each !== 'identity').reverse()) {
    try {
      decoded = DECODERS[name]?.(decoded) ?? new Uint8Array(0)
    } catch {
      return ''
    }
  }
  return Buffer.from(decoded).toString('utf8')
}
