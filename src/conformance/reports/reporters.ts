import type { Reporter } from './report-model.ts'

/** A choice of `--reporter`. Its module is loaded when it is used, so that a help loads none. */
interface ReporterRow {
  /** Its line in `--help` and in the docs. */
  readonly summary: string
  /** Its name in the folder of `--output`. */
  readonly file: string
  readonly load: () => Promise<Reporter>
}

/** Every report there is: a new one is a row here and its file. */
const ROWS = {
  pretty: {
    summary: 'for a terminal: a table of what failed, then each failure, then the verdict; --verbose has every detail',
    file: 'report.txt',
    load: async () => (await import('./pretty.ts')).pretty,
  },
  json: {
    summary: 'for programs: verdicts and counts as one JSON object',
    file: 'report.json',
    load: async () => (await import('./json.ts')).json,
  },
  junit: {
    summary: 'for CI: JUnit XML, one case per check',
    file: 'junit.xml',
    load: async () => (await import('./junit.ts')).junit,
  },
  ndjson: {
    summary: 'the log of the run, one JSON object per line; all other reports can be made from it',
    file: 'run.ndjson',
    load: async () => (await import('./json.ts')).ndjson,
  },
  html: {
    summary: 'for people: one page with verdict, failures, requirements and transcripts',
    file: 'report.html',
    load: async () => (await import('./html/page.tsx')).htmlPage,
  },
  markdown: {
    summary: 'for a step summary or a comment: what failed, and what was not verified',
    file: 'summary.md',
    load: async () => (await import('./markdown.ts')).markdown,
  },
  github: {
    summary: 'annotations of GitHub Actions, for standard output of a step',
    file: 'annotations.txt',
    load: async () => (await import('./github.ts')).github,
  },
  ctrf: {
    summary: 'Common Test Report Format (JSON), one test per check',
    file: 'ctrf.json',
    load: async () => (await import('./ctrf.ts')).ctrf,
  },
  har: {
    summary: 'for HTTP tools: every exchange as HAR 1.2',
    file: 'run.har',
    load: async () => (await import('./har.ts')).har,
  },
} as const satisfies Record<string, ReporterRow>

export const REPORTERS: Readonly<Record<keyof typeof ROWS, ReporterRow>> = ROWS

export const REPORTER_NAMES = Object.keys(ROWS) as (keyof typeof REPORTERS)[]
