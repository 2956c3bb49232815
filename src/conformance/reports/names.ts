/** The choices of `--reporter`, each with a line for `--help`. They are apart from the reports, so that a help loads none. */
export const REPORTER_SUMMARIES = {
  pretty: 'for a terminal: what failed, then the summary',
  json: 'for programs: verdicts and counts as one JSON object',
  junit: 'for CI: JUnit XML, one case per check',
  ndjson: 'the log of the run, one JSON object per line; all other reports can be made from it',
  html: 'for people: one page with verdict, failures, requirements and transcripts',
  markdown: 'for a step summary or a comment: what failed, and what was not verified',
  github: 'annotations of GitHub Actions, for standard output of a step',
  ctrf: 'Common Test Report Format (JSON), one test per check',
  har: 'for HTTP tools: every exchange as HAR 1.2',
} as const

export type ReporterName = keyof typeof REPORTER_SUMMARIES

export const REPORTER_NAMES = Object.keys(REPORTER_SUMMARIES) as ReporterName[]

export function isReporterName(text: string): text is ReporterName {
  return Object.hasOwn(REPORTER_SUMMARIES, text)
}
