import type { BrokenReason } from './exchange.ts'

/** The answer cannot be read; caught inside the reader and turned into an outcome. */
export class BrokenAnswer extends Error {
  override name = 'BrokenAnswer'
  readonly reason: BrokenReason

  constructor(reason: BrokenReason, message: string) {
    super(message)
    this.reason = reason
  }
}

export function malformed(message: string): BrokenAnswer {
  return new BrokenAnswer('malformed', message)
}

export function tooLarge(message: string): BrokenAnswer {
  return new BrokenAnswer('too-large', message)
}

const LF = 0x0a
const CR = 0x0d

/** The bytes that have come and were not read yet. */
export class ResponseInput {
  #bytes: Buffer = Buffer.alloc(0)
  /** Up to here no line end was found. */
  #searched = 0
  #ended = false

  add(chunk: Buffer): void {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk])
  }

  end(): void {
    this.#ended = true
  }

  get ended(): boolean {
    return this.#ended
  }

  get length(): number {
    return this.#bytes.length
  }

  /** The first bytes as Latin-1 text, without taking them. */
  peek(length: number): string {
    return this.#bytes.toString('latin1', 0, length)
  }

  /** One line without its CR LF, or undefined while it is not complete. `tooLong` makes what is thrown beyond the limit. */
  takeLine(limitBytes: number, tooLong: () => BrokenAnswer): string | undefined {
    const end = this.#bytes.indexOf(LF, this.#searched)
    if ((end === -1 ? this.#bytes.length : end + 1) > limitBytes) throw tooLong()
    if (end === -1) {
      this.#searched = this.#bytes.length
      return undefined
    }
    if (this.#bytes[end - 1] !== CR) throw malformed('a line ends in LF without CR')
    const line = this.#bytes.toString('latin1', 0, end - 1)
    this.#drop(end + 1)
    return line
  }

  /** What is there, up to so many bytes; perhaps nothing. */
  take(atMost: number): Buffer {
    const taken = this.#bytes.subarray(0, atMost)
    this.#drop(taken.length)
    return taken
  }

  #drop(length: number): void {
    this.#bytes = this.#bytes.subarray(length)
    this.#searched = 0
  }
}
