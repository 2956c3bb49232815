// Builds the documentation as static pages, with a search that needs no server: `npm run docs:site` at the root of the repository.
// The result is site/.vitepress/dist; any web server can serve it, and it makes no request to another host.
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vitepress'

const here = fileURLToPath(new URL('.', import.meta.url))
const SHOWN = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'docs', 'examples', 'skills']
const isShown = (path) => !/node_modules|\/dist$/.test(path)

// The generator finds its own packages only for pages below it.
rmSync(join(here, 'pages'), { recursive: true, force: true })
for (const name of SHOWN)
  cpSync(join(here, '..', name), join(here, 'pages', name), { recursive: true, filter: isShown })
await build(here)
