import { DURATION_WORDS } from '../../clock/duration.ts'
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts'
import { CliError } from '../session.ts'

interface Row {
  readonly says: string | ((facts: never) => string)
  /** `usage` unless given. */
  readonly exitCode?: ExitCode
}

const { harness, refused, unreachable } = EXIT_CODES
const INSTANT = 'ISO 8601 with a zone, e.g. 2026-01-31T12:00:00Z'

/** What operator commands refuse by themselves, before the operator API is asked or by what it answers: a sentence and an exit code. */
const ERRORS = {
  // The connection.
  'sandbox-address': {
    says: ({ url }: { url: string }) =>
      `--sandbox must be the http:// address of an operator port, not ${JSON.stringify(url)}`,
  },
  'partner-api': {
    says: ({ url }: { url: string }) =>
      `${url} is the partner API; the operator port is the other one (4601 by default)`,
  },
  'no-answer': {
    says: ({ url, why }: { url: string; why: string }) =>
      `no sandbox answers at ${url} (${why}); start one with "partner-sandbox serve", or name another with --sandbox`,
    exitCode: unreachable,
  },
  'not-read': { says: 'the sandbox has hung up, because what it told was not read fast enough', exitCode: unreachable },
  'world-deleted': { says: ({ world }: { world: string }) => `the world ${world} has been deleted`, exitCode: refused },
  'sandbox-gone': { says: ({ url }: { url: string }) => `the sandbox at ${url} has gone`, exitCode: unreachable },

  // Steps.
  'step-in-the-way': {
    says: ({ name, detail, subject, state }: { name: string; detail: string; subject: string; state: string }) =>
      `${name} is refused: ${detail} (${subject} is ${state})`,
    exitCode: refused,
  },
  'step-not-allowed': {
    says: ({ name, subject, state, allowed }: { name: string; subject: string; state: string; allowed: string }) =>
      `${name} is refused: ${subject} is ${state}; it allows ${allowed}`,
    exitCode: refused,
  },

  // Flags and arguments.
  exclusive: { says: ({ one, other }: { one: string; other: string }) => `${one} and ${other} exclude each other` },
  'not-an-instant': {
    says: ({ what, text }: { what: string; text: string }) => `${what} must be ${INSTANT}, not ${JSON.stringify(text)}`,
  },
  'not-a-duration': { says: ({ text }: { text: string }) => `${JSON.stringify(text)} is not ${DURATION_WORDS}` },
  'how-far-twice': { says: 'a duration, --to and --until exclude each other: give one of them' },
  'how-far-missing': { says: 'say how far: a duration such as 10m30s, or --to INSTANT, or --until next|idle' },
  'status-filter': {
    says: ({ text }: { text: string }) =>
      `--status must be a status such as 401 or a class such as 4xx, not ${JSON.stringify(text)}`,
  },
  'domain-unchanged': { says: 'say what to change: --price-cents, --floor-cents, --listed or --unlisted' },
  'domain-without-price': { says: '--price-cents is missing: what the domain costs' },
  'credential-unchanged': {
    says: 'say what to change: --scopes, --[no-]affiliate, --[no-]merchant-of-record or --restored',
  },
  'no-scope': {
    says: ({ scope, hint, scopes }: { scope: string; hint: string; scopes: readonly string[] }) =>
      `--scopes: there is no scope ${JSON.stringify(scope)}${hint}; there are ${scopes.join(', ')}, or none`,
  },
  'no-credential': {
    says: ({ world, wanted, names }: { world: string; wanted: string; names: string }) =>
      `the world ${world} has no credential ${JSON.stringify(wanted)}; it has ${names}`,
  },
  'profile-reset-alone': { says: '--reset takes no other option: it sets all of them back' },
  'no-delivery': { says: 'this world has no delivery yet: register a receiver, then record an order' },
  'seed-alone': { says: '--seed goes with --probability' },
  'effect-twice': {
    says: 'a fault does one thing: give one of --status or --code, --retry-after, --delay, --drop, --garbage',
  },
  'effect-missing': { says: 'say what goes wrong: --status, --code, --retry-after, --delay, --drop or --garbage' },
  'usual-alone': { says: '--usual takes no other rule: all are as in a new world then' },
  'manual-alone': { says: '--manual takes no duration: nothing goes on by itself then' },
  'world-twice': {
    says: ({ name, flag }: { name: string; flag: string }) =>
      `name one world: the argument says ${JSON.stringify(name)}, --world says ${JSON.stringify(flag)}`,
  },
  'snapshot-to-terminal': { says: 'a snapshot is no text: name a file' },
  'import-name-taken': {
    says: ({ detail, file }: { detail: string; file: string }) =>
      `${detail}; give it another name: world import ${file} NAME`,
    exitCode: refused,
  },

  // Answers of another version.
  'audit-unsaid': {
    says: 'the sandbox did not say whether it balances: is it of another version?',
    exitCode: harness,
  },
  'coverage-unsaid': {
    says: 'the sandbox did not say how much was met: is it of another version?',
    exitCode: harness,
  },
} as const satisfies Record<string, Row>

type ErrorId = keyof typeof ERRORS

type FactsOf<Id extends ErrorId> = (typeof ERRORS)[Id]['says'] extends (facts: infer Facts) => string
  ? [facts: Facts]
  : []

/** @example throw commandError('exclusive', { one: '--listed', other: '--unlisted' }) */
export function commandError<Id extends ErrorId>(id: Id, ...[facts]: FactsOf<Id>): CliError {
  const { says, exitCode }: Row = ERRORS[id]
  return new CliError(typeof says === 'string' ? says : says(facts as never), exitCode)
}
