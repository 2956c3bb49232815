import type { BrokenReason } from './exchange.ts'

export interface ResponseHead {
  minorVersion: 0 | 1
  status: number
  headers: (readonly [name: string, value: string])[]
}

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

/** How the response marks the end of its body. */
export type Framing =
  | { kind: 'none' }
  | { kind: 'length'; bytes: number }
  | { kind: 'chunked' }
  | { kind: 'until-close' }

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9][0-9]{2})(?: .*)?$/
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const NOT_IN_A_VALUE = /[^\t\x20-\x7e\x80-\xff]/

export function parseStatusLine(line: string): Pick<ResponseHead, 'minorVersion' | 'status'> {
  const match = STATUS_LINE.exec(line)
  if (!match) throw malformed('the status line is not HTTP/1.1')
  return { minorVersion: match[1] === '0' ? 0 : 1, status: Number(match[2]) }
}

export function parseHeaderLine(line: string): readonly [name: string, value: string] {
  const colon = line.indexOf(':')
  const name = line.slice(0, Math.max(0, colon))
  if (!HEADER_NAME.test(name)) throw malformed('a header line is neither name: value nor empty')
  const value = withoutBlanksAround(line.slice(colon + 1))
  if (NOT_IN_A_VALUE.test(value)) throw malformed(`the value of the header ${name} holds a control character`)
  return [name, value]
}

/** Without a regular expression: one would look at thousands of blanks inside of a value again from each of them. */
function withoutBlanksAround(text: string): string {
  let [start, end] = [0, text.length]
  while (start < end && isBlank(text[start])) start += 1
  while (end > start && isBlank(text[end - 1])) end -= 1
  return text.slice(start, end)
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t'
}

/** The values of a header, split at commas. */
function listed(head: ResponseHead, wanted: string): string[] {
  const found = head.headers.filter(([name]) => name.length === wanted.length && name.toLowerCase() === wanted)
  return found.flatMap(([, value]) => value.split(',').map((item) => item.trim()))
}

/** How the body of an answer ends; answers that say so in two ways are refused, as they could be read in two ways. */
export function framingOf(method: string, head: ResponseHead): Framing {
  const codings = listed(head, 'transfer-encoding')
  const lengths = listed(head, 'content-length')
  if (codings.length > 0 && lengths.length > 0) throw malformed('it has both Content-Length and Transfer-Encoding')
  const bytes = lengthFrom(lengths)
  if (method === 'HEAD' || head.status === 204 || head.status === 304) return { kind: 'none' }
  if (codings.length > 0) return chunkedFrom(codings, head)
  return bytes === undefined ? { kind: 'until-close' } : { kind: 'length', bytes }
}

function chunkedFrom(codings: string[], head: ResponseHead): Framing {
  if (codings.length !== 1 || codings[0]?.toLowerCase() !== 'chunked')
    throw malformed('its transfer coding is not chunked alone')
  if (head.minorVersion === 0) throw malformed('it is chunked, which HTTP/1.0 does not know')
  return { kind: 'chunked' }
}

function lengthFrom(lengths: string[]): number | undefined {
  if (lengths.length === 0) return undefined
  if (new Set(lengths).size > 1) throw malformed('it has two different Content-Lengths')
  const [length = ''] = lengths
  if (!/^[0-9]{1,15}$/.test(length)) throw malformed('its Content-Length is not a number')
  return Number(length)
}

/** Whether another request may follow on the connection, as far as the head shows. */
export function keepsConnection(head: ResponseHead): boolean {
  const options = listed(head, 'connection').map((option) => option.toLowerCase())
  return head.minorVersion === 1 ? !options.includes('close') : options.includes('keep-alive')
}

const CHUNK_SIZE = /^([0-9a-fA-F]{1,8})[ \t]*(?:;.*)?$/

/** The size a chunk begins with; extensions are passed over. */
export function parseChunkSize(line: string): number {
  const match = CHUNK_SIZE.exec(line)
  if (!match) throw malformed('a chunk does not begin with its size')
  return Number.parseInt(match[1] ?? '', 16)
}
