import { readFileSync } from 'node:fs'
import { inPackage } from '../../package-files.ts'
import { PageRefusal, type PageReply, type PageRequest, type PageRoute } from '../wire/page.ts'

/** A text of the package that both ports serve to programs. */
interface DocsFile {
  readonly type: 'text/plain' | 'text/markdown'
  readonly text: string
}

/** The list of the pages, and all of them in one file. */
const LIST_PATH = '/llms.txt'
const WHOLE_PATH = '/llms-full.txt'

/** The pages that the list links to, by their paths from the root of the package, which are those of the ports too. */
const LINK = /\]\((\/[\w./-]+\.md)\)/g

/**
 * The list, a page that it links to, or all pages in its order. Nothing else of the package can be read.
 *
 * @example docsFile('/llms.txt')?.text
 */
export function docsFile(path: string): DocsFile | null {
  const list = readPage('/docs/llms.txt')
  if (path === LIST_PATH) return { type: 'text/plain', text: list }
  const pages = [...list.matchAll(LINK)].map(([, page = '']) => page)
  if (path === WHOLE_PATH)
    return {
      type: 'text/plain',
      text: [list, ...pages.map((page) => `<!-- ${page} -->\n\n${readPage(page)}`)].join('\n\n'),
    }
  return pages.includes(path) ? { type: 'text/markdown', text: readPage(path) } : null
}

function readPage(path: string): string {
  return readFileSync(inPackage(path), 'utf8')
}

export const llmsPage = docsFilePage(() => LIST_PATH)
export const llmsFullPage = docsFilePage(() => WHOLE_PATH)
export const markdownPage = docsFilePage(({ params }) => `/docs/${params['page']}`)

function docsFilePage(pathOf: (request: PageRequest) => string): PageRoute {
  return {
    writes: false,
    worldOf: () => null,
    handle(request): PageReply {
      const file = docsFile(pathOf(request))
      if (file === null) throw new PageRefusal(404, 'no such page of the docs')
      return { status: 200, type: file.type, body: file.text }
    },
  }
}
