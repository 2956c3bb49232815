import { existsSync, readFileSync } from 'node:fs'
import { DOCS_SCRIPT_FILE } from '../../package-files.ts'
import { type Page, PageRefusal } from '../wire/page.ts'

/** The script of the reference as it was built from `src/console/docs`. Without a build the page works without it. */
export const docsScript: Page = {
  writes: false,
  worldOf: () => null,
  handle() {
    if (!existsSync(DOCS_SCRIPT_FILE)) throw new PageRefusal(404, 'the script of the reference was not built')
    return { status: 200, type: 'text/javascript', body: readFileSync(DOCS_SCRIPT_FILE, 'utf8') }
  },
}
