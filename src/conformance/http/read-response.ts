import type { BrokenReason, WireResponse } from './exchange.ts'
import {
  BrokenAnswer,
  type Framing,
  framingOf,
  keepsConnection,
  malformed,
  parseChunkSize,
  parseHeaderLine,
  parseStatusLine,
  type ResponseHead,
  tooLarge,
} from './response-head.ts'

/**
 * Our own parser reads answers: the usual clients mend, drop or hide what a hostile or careless target sends, and here each of
 * these is a finding with its own words, within limits on every part.
 */

export const DEFAULT_MAX_BODY_BYTES = 1024 * 1024
const MAX_HEAD_BYTES = 64 * 1024
const MAX_INTERIM_RESPONSES = 100
const MAX_CHUNK_LINE_BYTES = 4 * 1024

export type ReadState =
  | { kind: 'more' }
  /** `reusable`: the connection is in a known state, and the target keeps it open. */
  | { kind: 'done'; response: Omit<WireResponse, 'tookMs'>; reusable: boolean }
  | { kind: 'broken'; reason: BrokenReason; message: string }

/** Reads one answer from bytes as they come, however they are cut. */
export interface ResponseReader {
  push(chunk: Buffer): ReadState
  /** The target has closed its side. */
  end(): ReadState
}

const LF = 0x0a
const CR = 0x0d

/** The bytes that have come and were not read yet. */
class ResponseInput {
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

  /** The bytes that are there, up to a maximum; perhaps none. */
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

/** Reading, as a routine that yields each time it needs more bytes. */
type Reading<Result> = Generator<void, Result, void>

type Answer = Extract<ReadState, { kind: 'done' }>

/** A reader for the answer to a request with this verb. */
export function createResponseReader(method: string, maxBodyBytes: number): ResponseReader {
  const input = new ResponseInput()
  const reading = readAnswer(input, method, maxBodyBytes)
  const advance = (): ReadState => {
    try {
      const step = reading.next()
      return step.done ? step.value : { kind: 'more' }
    } catch (error) {
      if (error instanceof BrokenAnswer) return { kind: 'broken', reason: error.reason, message: error.message }
      throw error
    }
  }
  return {
    push(chunk) {
      input.add(chunk)
      return advance()
    },
    end() {
      input.end()
      return advance()
    },
  }
}

function* readAnswer(input: ResponseInput, method: string, maxBodyBytes: number): Reading<Answer> {
  const head = yield* readFinalHead(input)
  const framing = framingOf(method, head)
  const body = yield* readBody(input, framing, maxBodyBytes)
  // Bytes beyond the answer belong to nothing that was asked: the connection is not to be trusted again.
  const reusable = framing.kind !== 'until-close' && keepsConnection(head) && input.length === 0 && !input.ended
  return { kind: 'done', response: { status: head.status, headers: head.headers, body }, reusable }
}

function* readFinalHead(input: ResponseInput): Reading<ResponseHead> {
  for (let interim = 0; interim <= MAX_INTERIM_RESPONSES; interim++) {
    const head = yield* readHead(input)
    if (head.status === 101) throw malformed('it switches to a protocol that was not requested')
    if (head.status >= 200) return head
  }
  throw malformed(`more than ${MAX_INTERIM_RESPONSES} interim answers`)
}

function* readHead(input: ResponseInput): Reading<ResponseHead> {
  const statusLine = yield* readStatusLine(input)
  const headers = yield* readHeaderLines(input, MAX_HEAD_BYTES - statusLine.length)
  return { ...parseStatusLine(statusLine), headers }
}

const BEGINNING = 'HTTP/1.'

function* readStatusLine(input: ResponseInput): Reading<string> {
  for (;;) {
    if (!BEGINNING.startsWith(input.peek(BEGINNING.length))) throw malformed('it does not begin with HTTP/1.')
    const line = input.takeLine(MAX_HEAD_BYTES, headTooLarge)
    if (line !== undefined) return line
    yield* moreBytes(input)
  }
}

function* readHeaderLines(input: ResponseInput, maxBytes: number): Reading<ResponseHead['headers']> {
  const headers: ResponseHead['headers'] = []
  for (let left = maxBytes; ; ) {
    const line = yield* readLine(input, left, headTooLarge)
    if (line === '') return headers
    headers.push(parseHeaderLine(line))
    left -= line.length + 2
  }
}

function headTooLarge(): BrokenAnswer {
  return tooLarge(`its header block is longer than ${MAX_HEAD_BYTES} bytes`)
}

function* readLine(input: ResponseInput, limitBytes: number, tooLong: () => BrokenAnswer): Reading<string> {
  for (;;) {
    const line = input.takeLine(limitBytes, tooLong)
    if (line !== undefined) return line
    yield* moreBytes(input)
  }
}

function* moreBytes(input: ResponseInput): Reading<void> {
  if (input.ended) throw new BrokenAnswer('reset', 'the connection was closed before the answer was complete')
  yield
}

function* readBody(input: ResponseInput, framing: Framing, maxBytes: number): Reading<Buffer> {
  const sink = new BodySink(maxBytes)
  if (framing.kind === 'length') yield* readExactly(input, framing.bytes, sink)
  if (framing.kind === 'chunked') yield* readChunks(input, sink)
  if (framing.kind === 'until-close') yield* readUntilClose(input, sink)
  return sink.bytes()
}

function* readExactly(input: ResponseInput, bytes: number, sink: BodySink): Reading<void> {
  sink.refuseBeyondLimit(bytes)
  for (let left = bytes; left > 0; ) {
    const piece = input.take(left)
    sink.add(piece)
    left -= piece.length
    if (left > 0) yield* moreBytes(input)
  }
}

function* readChunks(input: ResponseInput, sink: BodySink): Reading<void> {
  for (;;) {
    const size = parseChunkSize(yield* readLine(input, MAX_CHUNK_LINE_BYTES, chunkLineTooLong))
    if (size === 0) break
    yield* readExactly(input, size, sink)
    if ((yield* readLine(input, 2, chunkTooLong)) !== '') throw chunkTooLong()
  }
  yield* readHeaderLines(input, MAX_HEAD_BYTES)
}

function* readUntilClose(input: ResponseInput, sink: BodySink): Reading<void> {
  for (;;) {
    sink.add(input.take(input.length))
    if (input.ended) return
    yield
  }
}

function chunkLineTooLong(): BrokenAnswer {
  return malformed('the first line of a chunk is too long')
}

function chunkTooLong(): BrokenAnswer {
  return malformed('a chunk is longer than its size')
}

/** Gathers a body into one growing buffer: a million chunks of one byte must not become a million objects. */
class BodySink {
  readonly #maxBytes: number
  #buffer = Buffer.alloc(0)
  #length = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  refuseBeyondLimit(moreBytes: number): void {
    if (this.#length + moreBytes > this.#maxBytes) throw tooLarge(`its body is longer than ${this.#maxBytes} bytes`)
  }

  add(piece: Buffer): void {
    this.refuseBeyondLimit(piece.length)
    const needed = this.#length + piece.length
    if (needed > this.#buffer.length) {
      const grown = Buffer.allocUnsafe(Math.max(needed, this.#buffer.length * 2))
      this.#buffer.copy(grown, 0, 0, this.#length)
      this.#buffer = grown
    }
    piece.copy(this.#buffer, this.#length)
    this.#length = needed
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length)
  }
}
