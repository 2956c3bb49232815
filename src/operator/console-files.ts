import { readdirSync, readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { docsFile } from '../sandbox/openapi/docs-files.ts'
import { headerValues } from '../sandbox/wire/call.ts'
import { problem } from './problems.ts'

export interface ConsoleFile {
  readonly type: string
  readonly bytes: Uint8Array
  readonly headers: Readonly<Record<string, string>>
}

/** The console as it was built (src/console/vite.config.ts): its page, and the files that the page asks for, by their path. */
interface ConsoleFiles {
  readonly page: ConsoleFile
  readonly files: ReadonlyMap<string, ConsoleFile>
}

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

/** The page may load what this port serves, ask this port, and nothing else. */
const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
}

/** The name of each has a hash of what is in it. */
const FILE_HEADERS = { 'cache-control': 'public, max-age=31536000, immutable' }

const ASSETS = '/assets/'

/**
 * Reads all files of the console. Only what is found here is served, so a path in a request is never one of the disk.
 *
 * @throws Problem if it was not built.
 */
function readConsoleFiles(folder: string): ConsoleFiles {
  try {
    const names = readdirSync(join(folder, 'assets'))
    const page = { type: 'text/html; charset=utf-8', bytes: readFileSync(join(folder, 'index.html')) }
    return {
      page: { ...page, headers: PAGE_HEADERS },
      files: new Map(names.map((name) => [ASSETS + name, readAsset(folder, name)])),
    }
  } catch {
    throw problem('no-console')
  }
}

function readAsset(folder: string, name: string): ConsoleFile {
  const type = TYPES[name.split('.').pop() ?? ''] ?? 'application/octet-stream'
  return { type, bytes: readFileSync(join(folder, 'assets', name)), headers: FILE_HEADERS }
}

const DOCS = /^\/(?:llms(?:-full)?\.txt|docs\/[\w-]+\.md)$/
const PAGES = /^\/(?:worlds\/?|w\/.*)?$/

/** What is served beside data. It holds none. */
export type FileKind = 'console page' | 'console asset' | 'docs'

/**
 * Whether a browser asks for a page of the console (every address of it is answered with the same page) or for a file that this
 * page names, or a program for a page of the docs.
 */
export function fileKindOf(request: IncomingMessage): FileKind | null {
  if (request.method !== 'GET' && request.method !== 'HEAD') return null
  const path = pathOf(request)
  if (path.startsWith(ASSETS)) return 'console asset'
  if (DOCS.test(path)) return 'docs'
  const takesHtml = headerValues(request, 'accept').some((value) => value.toLowerCase().includes('text/html'))
  return PAGES.test(path) && takesHtml ? 'console page' : null
}

/** Finds what is asked for. The files of the console are read once, for the first who asks. */
export function fileFinder(folder: string): (request: IncomingMessage) => ConsoleFile | undefined {
  let read: ConsoleFiles | null = null
  return (request) => {
    const kind = fileKindOf(request)
    if (kind === null) return undefined
    if (kind === 'docs') {
      const file = docsFile(pathOf(request))
      return file ? { type: `${file.type}; charset=utf-8`, bytes: Buffer.from(file.text), headers: {} } : undefined
    }
    read ??= readConsoleFiles(folder)
    return kind === 'console page' ? read.page : read.files.get(pathOf(request))
  }
}

function pathOf({ url = '/' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? '/'
}
