import * as zlib from 'node:zlib'

/** A small body may become a large one. */
const MOST_BYTES = 8 * 1024 * 1024

const { BROTLI_OPERATION_FLUSH, Z_SYNC_FLUSH } = zlib.constants

/** A body that was cut gives what is there. */
const ZLIB = { maxOutputLength: MOST_BYTES, finishFlush: Z_SYNC_FLUSH }

type Decoder = (bytes: Uint8Array) => Uint8Array

const DECODERS: ReadonlyMap<string, Decoder | undefined> = new Map<string, Decoder | undefined>([
  ['gzip', (bytes) => zlib.gunzipSync(bytes, ZLIB)],
  ['x-gzip', (bytes) => zlib.gunzipSync(bytes, ZLIB)],
  ['deflate', (bytes) => zlib.inflateSync(bytes, ZLIB)],
  [
    'br',
    (bytes) => zlib.brotliDecompressSync(bytes, { maxOutputLength: MOST_BYTES, finishFlush: BROTLI_OPERATION_FLUSH }),
  ],
  // Node has it from 22.15 on.
  ['zstd', (zlib as { zstdDecompressSync?: Decoder }).zstdDecompressSync],
])

/**
 * A copy of a body as text, with its Content-Encoding undone; null if that cannot be done.
 *
 * @example decodedText(gzipSync('{}'), ['gzip']) // '{}'
 */
export function decodedText(bytes: Uint8Array, encodings: readonly string[]): string | null {
  const names = encodings.flatMap((value) => value.split(',')).map((name) => name.trim().toLowerCase())
  if (bytes.length === 0) return ''
  let decoded = bytes
  for (const name of names.filter((each) => each !== '' && each !== 'identity').reverse()) {
    const decoder = DECODERS.get(name)
    if (decoder === undefined) return null
    try {
      decoded = decoder(decoded)
    } catch {
      return null
    }
  }
  return Buffer.from(decoded).toString('utf8')
}
