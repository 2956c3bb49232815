import { createHash } from 'node:crypto'

/** The beginning of a body that streams by, up to a limit, and the digest of the whole. */
export class KeptBody {
  readonly #limit: number
  readonly #chunks: Uint8Array[] = []
  readonly #hash = createHash('sha256')
  #kept = 0
  /** Bytes that have passed. */
  bytes = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  add(chunk: Uint8Array): void {
    this.bytes += chunk.length
    this.#hash.update(chunk)
    const room = this.#limit - this.#kept
    if (room <= 0) return
    const part = chunk.subarray(0, room)
    this.#chunks.push(part)
    this.#kept += part.length
  }

  /** Whether everything that passed was kept. */
  get isWhole(): boolean {
    return this.#kept === this.bytes
  }

  /** Lower-case hex digest of everything that has passed. */
  sha256(): string {
    return this.#hash.copy().digest('hex')
  }

  content(): Buffer {
    return Buffer.concat(this.#chunks)
  }
}
