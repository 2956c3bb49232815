import { badge } from './badge.ts'
import { ctrf } from './ctrf.ts'
import { github } from './github.ts'
import { har } from './har.ts'
import { htmlPage } from './html.ts'
import { json } from './json.ts'
import { junit } from './junit.ts'
import { markdown } from './markdown.ts'
import { ndjson } from './ndjson.ts'
import { pretty } from './pretty.ts'
import type { Reporter } from './reporter.ts'
import { tap } from './tap.ts'

/** Every report there is. The keys are the choices of `--reporter`. */
export const REPORTERS = {
  pretty,
  json,
  junit,
  ndjson,
  html: htmlPage,
  markdown,
  github,
  tap,
  ctrf,
  har,
  badge,
} as const satisfies Record<string, Reporter>

export type ReporterName = keyof typeof REPORTERS

export const REPORTER_NAMES = Object.keys(REPORTERS) as ReporterName[]

export function isReporterName(text: string): text is ReporterName {
  return Object.hasOwn(REPORTERS, text)
}
