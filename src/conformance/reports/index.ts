import { ctrf } from './ctrf.ts'
import { github } from './github.ts'
import { har } from './har.ts'
import { htmlPage } from './html/page.tsx'
import { json, ndjson } from './json.ts'
import { junit } from './junit.ts'
import { markdown } from './markdown.ts'
import type { ReporterName } from './names.ts'
import { pretty } from './pretty.ts'
import type { Reporter } from './reporter.ts'

/** Every report there is; the compiler names one that a name lacks, or that lacks a name. */
export const REPORTERS: Readonly<Record<ReporterName, Reporter>> = {
  pretty,
  json,
  junit,
  ndjson,
  html: htmlPage,
  markdown,
  github,
  ctrf,
  har,
}
