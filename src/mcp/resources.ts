import { readdirSync, readFileSync } from 'node:fs'
import { inPackage, REQUIREMENTS_FILE } from '../package-files.ts'

/** A page that clients may read. */
interface PageResource {
  readonly name: string
  readonly uri: string
  readonly title: string
  readonly mimeType: string
  read(): string
}

/** The documentation, page by page, and the requirements that servers are judged by. */
export function pageResources(): PageResource[] {
  const pages = readdirSync(inPackage('docs')).filter((name) => name.endsWith('.md'))
  return [
    ...pages.map((name) => {
      const read = () => readFileSync(inPackage(`docs/${name}`), 'utf8')
      const title = /^# (.+)$/m.exec(read())?.[1] ?? name
      return { name, uri: `partner-sandbox://docs/${name}`, title, mimeType: 'text/markdown', read }
    }),
    {
      name: 'requirements.yaml',
      uri: 'partner-sandbox://requirements.yaml',
      mimeType: 'application/yaml',
      title: 'What the API document requires, and what it leaves open',
      read: () => readFileSync(REQUIREMENTS_FILE, 'utf8'),
    },
  ]
}
