import { readFile, stat } from 'node:fs/promises'
import { CliError } from '../operator/session.ts'
import { shellWords } from './shell-words.ts'

/** What a curl command line would send. */
export interface CurlCall {
  method: string
  url: string
  rawHeaders: string[]
  body: Buffer
}

/** Options that take a word and change nothing that is signed. */
const IGNORED_WITH_WORD = new Set([
  '-o',
  '--output',
  '-m',
  '--max-time',
  '--connect-timeout',
  '-w',
  '--write-out',
  '--cacert',
  '--resolve',
  '-x',
  '--proxy',
  '--retry',
])

/**
 * Reads a curl command line, as `sign --curl` prints it or a browser copies it.
 *
 * @throws CliError for what it cannot be sure of.
 */
export async function readCurl(text: string): Promise<CurlCall> {
  const words = shellWords(text.replace(/^\s*\$?\s*curl/, ''))
  const call = { method: '', url: '', rawHeaders: [] as string[], data: [] as Buffer[] }
  for (let word = words.shift(); word !== undefined; word = words.shift()) await take(word, words, call)
  if (call.url === '') throw new CliError('the curl line names no URL')
  const method = call.method || (call.data.length > 0 ? 'POST' : 'GET')
  const body = call.data.flatMap((piece, at) => (at === 0 ? [piece] : [Buffer.from('&'), piece]))
  return { method, url: call.url, rawHeaders: call.rawHeaders, body: Buffer.concat(body) }
}

type Draft = Omit<CurlCall, 'body'> & { data: Buffer[] }

async function take(word: string, rest: string[], call: Draft): Promise<void> {
  const [option, joined] = splitOption(word)
  const value = () => joined ?? rest.shift() ?? ''
  if (option === '-X' || option === '--request') call.method = value()
  else if (option === '-I' || option === '--head') call.method = 'HEAD'
  else if (option === '--url') call.url = value()
  else if (option === '-H' || option === '--header') addHeader(value(), call)
  else if (DATA.has(option)) call.data.push(await dataOf(option, value()))
  else if (IGNORED_WITH_WORD.has(option)) value()
  else if (option === '-G' || option === '--get' || option === '-F' || option === '--form' || option === '-T') {
    throw new CliError(`the curl option ${option} cannot be read; save the call as raw HTTP text instead`)
  } else if (!option.startsWith('-')) call.url = word
}

const DATA = new Set(['-d', '--data', '--data-ascii', '--data-raw', '--data-binary', '--json'])

/** `-XPOST`, `--request=POST` and `-X POST` say the same. */
function splitOption(word: string): [option: string, joined: string | undefined] {
  const [, short, glued] = /^(-[XHdomwx])(.+)$/s.exec(word) ?? []
  if (short !== undefined) return [short, glued]
  const [, long, value] = /^(--[a-z-]+)=(.*)$/s.exec(word) ?? []
  return long === undefined ? [word, undefined] : [long, value]
}

function addHeader(text: string, call: Draft): void {
  const [, name, value] = /^([^:;]+)[:;]\s*(.*)$/s.exec(text) ?? []
  if (name !== undefined) call.rawHeaders.push(name, (value ?? '').trim())
}

const MAX_BODY_BYTES = 1024 * 1024

async function dataOf(option: string, value: string): Promise<Buffer> {
  if (!value.startsWith('@') || option === '--data-raw') return Buffer.from(value, 'utf8')
  const file = value.slice(1)
  const found = await stat(file).catch(() => null)
  // A device never ends, and no body of this API is larger.
  if (found && (!found.isFile() || found.size > MAX_BODY_BYTES))
    throw new CliError(`the curl line sends the file ${file}: not a plain file of at most 1 MiB`)
  const bytes = await readFile(file).catch(() => {
    throw new CliError(`the curl line sends the file ${file}, which cannot be read`)
  })
  // curl takes line ends out of a file that is not sent as binary.
  return option === '--data-binary' || option === '--json'
    ? bytes
    : Buffer.from(bytes.toString('latin1').replaceAll(/[\r\n]/g, ''), 'latin1')
}
