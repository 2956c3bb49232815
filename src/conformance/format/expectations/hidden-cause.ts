interface Cause {
  readonly what: string
  readonly looks: RegExp
  /** A header has it for no other reason: a path, a host or a program there may be that of the call. */
  readonly inHeaders?: true
}

/** What shows a caller how a failure came about, with words for the report. None of it belongs in an honest message. */
const CAUSES: readonly Cause[] = [
  // `at save (db.js:3)`, and `at com.acme.Orders.save(`; a sentence may begin with "at most 5 (an hour)".
  {
    what: 'a line of a stack trace',
    inHeaders: true,
    looks: /(?:\\[nt]|[\n\t"]|^) *at [\w.<>$# ]+ \((?:<anonymous>|native\)|(?!\d)[^()\s"]*:\d+\))/u,
  },
  { what: 'a line of a stack trace', inHeaders: true, looks: /(?:\\[nt]|[\n\t"]|^) *at [\w<>$#]+(?:\.[\w<>$#]+)+\(/u },
  {
    what: 'a line of a stack trace',
    inHeaders: true,
    looks: /Traceback \(most recent call last\)|goroutine \d+ \[|panic: |Stack trace:/u,
  },
  {
    what: 'a place in a source file',
    looks:
      /[\w/\\.-]\.(?:[cm]?[jt]sx?|py|rb|go|java|kt|scala|php|cs|rs|exs?|erl|cpp)\\?"?(?::\d+|\(\d+\)|,? (?:on )?line \d+)/u,
  },
  {
    what: 'a path of the machine',
    looks: /(?<![\w.:/-])\/(?:usr|home|var|srv|opt|etc|root|tmp|Users|app|workspace)\/[\w.-]+/u,
  },
  { what: 'a path of the machine', looks: /\b[A-Z]:\\{1,2}\w+\\/u },
  {
    what: 'a statement of SQL',
    inHeaders: true,
    looks: /\b(?:SELECT\b[^"]{1,200}\bFROM\b|INSERT INTO|DELETE FROM|UPDATE \S+ SET\b)/u,
  },
  {
    what: 'a message of a database',
    looks: /\b(?:SQLSTATE|SQLITE_[A-Z]+|ORA-\d{5}|SQLException|(?:UNIQUE|FOREIGN KEY|NOT NULL|CHECK) constraint)/u,
  },
  {
    what: 'a message of a database',
    looks: /syntax error at or near|duplicate key value|no such (?:table|column)|deadlock detected/iu,
  },
  {
    what: 'a message of a database',
    looks:
      /\b(?:postgres\w*|mysql|mariadb|mongo\w*|redis|sqlite|oracle|memcached)\b[^".]{0,40}\b(?:connections?|server|pool|host|locked)\b/iu,
  },
  // An honest message may speak of "our database", and a link of "errors/database-connection".
  { what: 'a message of a database', looks: /\bdatabase (?:connections?|pool|is locked)\b/iu },
  // Within a sentence about a connection: alone, or in other sentences, it may be that of the caller or of the API itself.
  {
    what: 'an address of the machine',
    looks: /\b(?:connect\w*|dial|route|reach)\b[^"]{0,40}(?<![\w.:/-])(?:\d{1,3}\.){3}\d{1,3}:\d{2,5}\b/u,
  },
  {
    what: 'an error of the operating system',
    inHeaders: true,
    looks: /\b(?:ECONNREFUSED|ECONNRESET|ENOENT|ETIMEDOUT|EPIPE|EACCES|ENOTFOUND)\b/u,
  },
  {
    what: 'the name of an exception',
    inHeaders: true,
    looks:
      /\b(?:Type|Reference|Range|Syntax|Key|Value|Attribute|Index|Runtime|NoMethod|NullPointer|NullReference|IllegalState|IllegalArgument|ClassCast|Assertion|ZeroDivision|OutOfMemory)(?:Error|Exception)\b/u,
  },
  {
    what: 'a message of an interpreter',
    inHeaders: true,
    looks: /cannot read propert(?:y|ies) of|is not a function|undefined method|nil pointer|object reference not set/iu,
  },
]

/**
 * What a body shows of the cause of a failure, in words for a report; null if it hides it (ERR-04).
 *
 * @example causeShown('{"code":"internal_error","stack":"Error: no\\n    at save (db.js:3)"}') // 'a line of a stack trace'
 */
export function causeShown(body: string): string | null {
  return CAUSES.find(({ looks }) => looks.test(body))?.what ?? null
}

/** The header that shows the cause of a failure, and how; null if none does. */
export function causeInHeaders(headers: readonly (readonly [name: string, value: string])[]): string | null {
  for (const [name, value] of headers) {
    const cause = CAUSES.find(({ inHeaders, looks }) => inHeaders && looks.test(value))
    if (cause) return `the header ${name}: ${cause.what}`
  }
  return null
}
