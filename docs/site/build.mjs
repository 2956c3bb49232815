// Builds the documentation as static pages, with a search that needs no server: `npm run docs:site` at the root of the repository.
// The result is docs/site/.vitepress/dist; any web server can serve it, and it makes no request to another host.
import { cpSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vitepress'

const here = fileURLToPath(new URL('.', import.meta.url))
const root = join(here, '../..')
const SHOWN = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'examples', 'skills']
const isShown = (path) => !/node_modules|\/dist$/.test(path)

// The generator finds its own packages only for pages below it.
rmSync(join(here, 'pages'), { recursive: true, force: true })
const docs = readdirSync(join(root, 'docs')).filter((name) => name !== 'site')
for (const name of [...SHOWN, ...docs.map((name) => `docs/${name}`)])
  cpSync(join(root, name), join(here, 'pages', name), { recursive: true, filter: isShown })
await build(here)
