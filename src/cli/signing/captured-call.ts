import { readFile } from 'node:fs/promises'
import type { ArrivedCall } from '../../contract/diagnosis/diagnose-call.ts'
import { headerValuesOf } from '../../contract/diagnosis/refusals.ts'
import { CliError } from '../operator/session.ts'
import { readCurl } from './captured-curl.ts'
import { readUrl } from './sign-input.ts'

/**
 * A captured call: the raw text of an HTTP request, or a curl command line.
 *
 * @param bytes of the capture, never trimmed: a body may end in a newline.
 * @throws CliError where it is neither.
 */
export async function readCall(bytes: Buffer): Promise<ArrivedCall> {
  if (/^\s*\$?\s*curl\s/.test(bytes.subarray(0, 64).toString('latin1'))) {
    const { method, url, rawHeaders, body } = await readCurl(bytes.toString('utf8'))
    return { method, target: readUrl(url).target, rawHeaders: ['Host', new URL(url).host, ...rawHeaders], body }
  }
  return readHttp(bytes)
}

const REQUEST_LINE = /^([A-Za-z]+) (\S+)(?: HTTP\/[\d.]+)?$/

function readHttp(bytes: Buffer): ArrivedCall {
  const { head, body } = splitHead(bytes)
  const [first = '', ...lines] = head.split(/\r?\n/)
  const [, method, target] = REQUEST_LINE.exec(first) ?? []
  if (method === undefined || target === undefined) {
    throw new CliError(
      'the call must begin with a request line such as "GET /api/partner/v1/orders HTTP/1.1", or be a curl command line',
    )
  }
  const rawHeaders = lines.flatMap((line, at) => headerOf(line, at + 2))
  const path = target.startsWith('/') ? target : readUrl(target).target
  return { method, target: path, rawHeaders, body: announcedBody(body, rawHeaders) }
}

function splitHead(bytes: Buffer): { head: string; body: Buffer } {
  const text = bytes.toString('latin1')
  const end = /\r?\n\r?\n/.exec(text)
  if (!end) return { head: text.replace(/\r?\n$/, ''), body: Buffer.alloc(0) }
  return { head: text.slice(0, end.index), body: bytes.subarray(end.index + end[0].length) }
}

function headerOf(line: string, lineNumber: number): [name: string, value: string] {
  const colon = line.indexOf(':')
  if (colon < 1) throw new CliError(`line ${lineNumber} of the call is no header: ${JSON.stringify(line)}`)
  return [line.slice(0, colon), line.slice(colon + 1).trim()]
}

/** An editor may have put a newline behind the body; what was announced is what was sent. */
function announcedBody(body: Buffer, rawHeaders: readonly string[]): Buffer {
  if (headerValuesOf(rawHeaders, 'transfer-encoding').length > 0) {
    throw new CliError('the call has a Transfer-Encoding; save it with its body decoded and without that header')
  }
  const announced = Number(headerValuesOf(rawHeaders, 'content-length')[0] ?? body.length)
  if (body.length < announced) {
    throw new CliError(`the call announces a body of ${announced} bytes, and ${body.length} are there`)
  }
  return body.subarray(0, announced)
}

/** The bytes of a file, or of standard input for `-`. */
export async function readBytes(name: string, option: string): Promise<Buffer> {
  try {
    return await readFile(name === '-' ? '/dev/stdin' : name)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new CliError(`${option}: cannot read ${name} (${code ?? 'unknown error'})`)
  }
}
