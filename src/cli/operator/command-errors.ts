import { EXIT_CODES, type ExitCode } from '../exit-codes.ts'
import { CliError } from '../session.ts'

const { harness, refused, unreachable } = EXIT_CODES
const INSTANT = 'ISO 8601 with a zone, e.g. 2026-01-31T12:00:00Z'

/**
 * What operator commands refuse, before they call the operator API or because of its answer: a sentence, and an exit
 * code if it is not `usage`. `{name}` stands for a fact, `{"name"}` for one in quotation marks.
 */
const ERRORS = {
  // The connection.
  'sandbox-address': ['--sandbox must be the http:// address of an operator port, not {"url"}'],
  'partner-api': ['{url} is the partner API; give the operator port instead (4601 by default)'],
  'no-answer': [
    'no sandbox answers at {url} ({why}); start one with "npx partner-sandbox serve", or name another with --sandbox',
    unreachable,
  ],
  'not-read': ['the sandbox closed the connection, because its output was not read fast enough', unreachable],
  'world-deleted': ['the world {world} has been deleted', refused],
  'sandbox-gone': ['the sandbox at {url} has stopped', unreachable],

  // Steps.
  'step-in-the-way': ['{name} is refused: {detail} ({subject} is {state})', refused],
  'step-not-allowed': ['{name} is refused: {subject} is {state}; it allows {allowed}', refused],

  // Flags and arguments.
  exclusive: ['{one} and {other} exclude each other'],
  'not-an-instant': [`{what} must be ${INSTANT}, not {"text"}`],
  'not-a-duration': ['{"text"} {problem}'],
  'how-far-twice': ['a duration, --to and --until exclude each other: give one of them'],
  'how-far-missing': ['say how far: a duration such as 10m30s, or --to INSTANT, or --until next|idle'],
  'status-filter': ['--status must be a status such as 401 or a class such as 4xx, not {"text"}'],
  'domain-unchanged': ['say what to change: --price-cents, --floor-cents, --listed or --unlisted'],
  'domain-without-price': ['--price-cents: required'],
  'credential-unchanged': ['say what to change: --scopes, --[no-]affiliate, --[no-]merchant-of-record or --restored'],
  'no-scope': ['--scopes: unknown scope {"scope"}; use {scopes}, or none{hint}'],
  'no-credential': ['the world {world} has no credential {"wanted"}; it has {names}'],
  'profile-reset-alone': ['--reset takes no other option: it resets all of them'],
  'nothing-yet': ['there is no {noun} in the world {world}', refused],
  'empty-id': ['the id of the {noun} is empty'],
  'several-ids': ['{"text"} is the beginning of {count} ids ({noun}): {ids}; give more of it'],
  'seed-alone': ['--seed needs --probability'],
  'effect-twice': ['a fault does one thing: give one of --status or --code, --retry-after, --delay, --drop, --garbage'],
  'effect-missing': ['say what goes wrong: --status, --code, --retry-after, --delay, --drop or --garbage'],
  'usual-alone': ['--usual takes no other rule: it resets all of them'],
  'manual-alone': ['--manual takes no duration: it turns automatic steps off'],
  'hints-off-alone': ['--on and --off exclude each other'],
  'world-twice': ['name one world: the argument says {"name"}, --world says {"flag"}'],
  'snapshot-to-terminal': ['a snapshot is not text: name a file'],
  'snapshot-over-other': ['{file} is there and no snapshot, so it is not replaced; name another file'],
  'target-file-there': [
    '--target-file: {file} is there, perhaps with the only copy of keys, so it is not replaced; move it, or name another file',
  ],
  'import-name-taken': ['{detail}; give it another name: world import {file} NAME', refused],

  // Answers of another version.
  'audit-unsaid': ['the answer does not say whether it balances; is the sandbox of another version?', harness],
  'coverage-unsaid': ['the answer has no coverage percentage; is the sandbox of another version?', harness],
} as const satisfies Record<string, readonly [sentence: string, exitCode?: ExitCode]>

export type ErrorId = keyof typeof ERRORS

type NamesInSentence<Sentence> = Sentence extends `${string}{${infer Name}}${infer Rest}`
  ? (Name extends `"${infer Quoted}"` ? Quoted : Name) | NamesInSentence<Rest>
  : never

/** The facts of a sentence, by name; no argument if it has none. */
type FactsOfSentence<Sentence> = [NamesInSentence<Sentence>] extends [never]
  ? []
  : [facts: Readonly<Record<NamesInSentence<Sentence>, string>>]

/** @example throw commandError('exclusive', { one: '--listed', other: '--unlisted' }) */
export function commandError<Id extends ErrorId>(
  id: Id,
  ...[facts]: FactsOfSentence<(typeof ERRORS)[Id][0]>
): CliError {
  const [sentence, exitCode]: readonly [string, ExitCode?] = ERRORS[id]
  const given = new Map(Object.entries<string>(facts ?? {}))
  const message = sentence.replace(/\{("?)(\w+)"?\}/g, (_mark, quote: string, name: string) => {
    const fact = given.get(name) ?? ''
    return quote ? JSON.stringify(fact) : fact
  })
  return new CliError(message, exitCode, id.replaceAll('-', '_'))
}
