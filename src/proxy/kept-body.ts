import { createHash } from 'node:crypto'

/** The beginning of a body that streams by, up to a limit. */
export class KeptBody {
  readonly #limit: number
  readonly #chunks: Uint8Array[] = []
  #kept = 0
  /** Bytes that have passed. */
  bytes = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  add(chunk: Uint8Array): void {
    this.bytes += chunk.length
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

  content(): Buffer {
    return Buffer.concat(this.#chunks)
  }
}

/** The same of a body that is signed, with the digest of the whole. */
export class SignedBody extends KeptBody {
  readonly #hash = createHash('sha256')
  /** Whether the sender has sent all of it. */
  hasEnded = false

  override add(chunk: Uint8Array): void {
    super.add(chunk)
    this.#hash.update(chunk)
  }

  /** Lower-case hex digest of everything that has passed, which is the body once it has ended. */
  sha256(): string {
    return this.#hash.copy().digest('hex')
  }
}
