// docs/llms.txt: what there is to read, for programs that read docs (llmstxt.org). Both ports serve it, and the pages it links to.

/** Pages about the project itself, which an integration does without. */
const OPTIONAL = /^docs\/(?:architecture|proof)\.md$/

/** A row of the README's table of pages: what a reader wants to do, and the page that says how. */
const ROW = /^\| (?<task>[^|]+?) \| \[(?<title>[^\]]+)\]\((?<page>docs\/[\w-]+\.md)\)[^|]*\|$/gm

/**
 * @param readme the text of README.md: its first paragraph and its table of pages are the content of the list.
 */
export function llmsList(readme) {
  const [, summary, introduction] = /^# .*\n\n(.*)\n\n(- [\s\S]*?)\n\n!/m.exec(readme)
  const rows = [...readme.matchAll(ROW)].map(({ groups }) => groups)
  const lines = (wanted) => wanted.map(({ task, title, page }) => `- [${title}](/${page}): ${task}`).join('\n')
  return `# partner-sandbox

> ${summary}

${introduction}

Links are paths of this package, and of both ports of a running sandbox; \`/llms-full.txt\` there has all pages in one file.
The API port also serves \`/openapi.json\`, the operator port \`/v1/openapi.json\`. Every command takes \`--help\`, and the commands of a running sandbox take \`--json\`.

## Docs

${lines(rows.filter(({ page }) => !OPTIONAL.test(page)))}

## Optional

${lines(rows.filter(({ page }) => OPTIONAL.test(page)))}
`
}
