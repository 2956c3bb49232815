import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** A row of the README's table of pages: what a reader wants to do, and the page that says how. */
const ROW = /^\| ([^|]+?) \| \[([^\]]+)\]\((docs\/[\w-]+)\.md\)/gm

function sidebar() {
  const rows = [...readFileSync(join(root, 'README.md'), 'utf8').matchAll(ROW)]
  const items = rows.map(([, , title, page]) => ({ text: title[0].toUpperCase() + title.slice(1), link: `/${page}` }))
  return [
    { text: 'Documentation', items: [{ text: 'Overview', link: '/' }, ...items] },
    {
      text: 'Project',
      items: [
        { text: 'Examples', link: '/examples/README' },
        { text: 'Contributing', link: '/CONTRIBUTING' },
        { text: 'Changelog', link: '/CHANGELOG' },
      ],
    },
  ]
}

/** Links to files that are no pages, such as an example in code, become text: a static site has only pages. */
function withoutLinksToFiles(markdown) {
  const isOutside = (href, env) => {
    if (/^(?:[a-z]+:|#)/.test(href)) return false
    const [path = ''] = href.split('#')
    const file = path.startsWith('/') ? join(root, path) : join(root, dirname(env.relativePath), path)
    return path !== '' && (!path.endsWith('.md') || !existsSync(file))
  }
  markdown.core.ruler.push('links-to-files', ({ tokens, env }) => {
    for (const { children } of tokens) {
      for (const [at, token] of (children ?? []).entries()) {
        if (token.type !== 'link_open' || !isOutside(token.attrGet('href') ?? '', env)) continue
        const close = children.slice(at).find(({ type }) => type === 'link_close')
        for (const end of [token, close])
          Object.assign(end, { type: 'text', tag: '', content: '', nesting: 0, attrs: null })
      }
    }
  })
}

export default defineConfig({
  title: 'partner-sandbox',
  description: 'A sandbox server and a conformance runner for a partner-facing domain-sales HTTP API.',
  srcDir: 'pages',
  rewrites: { 'README.md': 'index.md' },
  markdown: { config: withoutLinksToFiles },
  themeConfig: {
    search: { provider: 'local' },
    sidebar: sidebar(),
    outline: [2, 3],
  },
})
