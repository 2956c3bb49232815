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
