/**
 * The ways a call can be wrong on purpose. A step has exactly one, so that no other rule can answer first; what each
 * does to a call is in sign-call.ts.
 */

/** Faults that are one word, by name, with what each does. */
interface FaultRow {
  /** What the fault touches, for documentation. */
  readonly about: string
  readonly words: Readonly<Record<string, string>>
  /** Faults that take a value: `{ raw: "..." }`. */
  readonly values: Readonly<
    Record<
      string,
      {
        readonly about: string
        readonly type: 'string' | 'integer'
        /** The only values it may have, if not every value is allowed. */
        readonly among?: readonly string[]
      }
    >
  >
}

/**
 * Every fault of the scenario format with its meaning: the schema of scenario files and the documentation are made
 * from this table, and the types below too.
 */
export const FAULTS = {
  key_id: {
    about: 'the key-id header',
    words: {
      drop: 'the header is left out',
      unknown: 'a key id of the same environment that no credential has, signed with the own secret',
    },
    values: { raw: { about: 'this text is sent as the key id', type: 'string' } },
  },
  auth_headers: {
    about: 'all four authentication headers',
    words: { drop: 'none of them is sent' },
    values: {},
  },
  timestamp: {
    about: 'the timestamp, in the header and in the signature alike',
    words: {
      drop: 'the header is left out',
      milliseconds: 'the same moment in milliseconds',
      hex: 'the same moment as a hex number, 0x in front',
    },
    values: {
      raw: { about: 'this text is signed and sent', type: 'string' },
      shift: { about: 'so many seconds later; negative is earlier', type: 'integer' },
      edge: {
        about:
          'the same, to a second by the clock of the target; where its clock is not known so well, ten seconds further from the limit',
        type: 'integer',
      },
    },
  },
  nonce: {
    about: 'the nonce, in the header and in the signature alike',
    words: { drop: 'the header is left out' },
    values: {
      raw: { about: 'this text is signed and sent', type: 'string' },
      reuse: { about: 'the nonce of the step with this id', type: 'string' },
    },
  },
  signature: {
    about: 'the signature header; the canonical string is valid',
    words: {
      drop: 'the header is left out',
      no_prefix: 'the digest without the scheme prefix',
      upper_case: 'the digest in upper-case hex',
      base64: 'the digest in base64',
      truncate: 'the last digit is missing',
      lengthen: 'one digit more',
      followed: 'a word behind the digest',
      spaced: 'a space in the middle of the digest',
      flip_bit: 'the lowest bit of the digest is the other way',
      flip_first: 'the lowest bit of its first digit is the other way',
    },
    values: {
      raw: { about: 'this text is sent as the whole value', type: 'string' },
      prefix: { about: 'this text replaces the scheme prefix', type: 'string' },
      key: {
        about:
          'signed with the key id (`key_id`), with the secret of the credential of this name, or of another one of the same partner (`another_key`)',
        type: 'string',
      },
    },
  },
  canonical: {
    about: 'the string that is signed; the request itself is valid',
    words: {
      verb_lower: 'the verb in lower case',
      path_without_root: 'the path without the API root',
      path_cut: 'the path without its last segment',
      query_unsorted: 'the pairs in the order of the URL',
      query_sorted_by_key_only: 'pairs with equal keys stay in the order of the URL',
      query_sorted_after_encoding: 'the pairs sorted by their encoded text',
      query_raw: 'the query as in the URL, neither sorted nor re-encoded',
      query_lower: 'the query line in lower case',
      query_empty: 'an empty query line',
      plus_for_space: 'a space as + instead of %20',
      blank_dropped: 'pairs without a value are left out',
      extra_unencoded: "! ' ( ) * stay as they are",
      body_empty: 'the hash of no bytes',
      body_sent: 'the hash of the body, though the verb is GET',
      body_reserialised: 'the hash of the body parsed and written as JSON again',
      body_as_braces: 'the hash of {} if there is no body',
      body_hash_upper: 'the body hash in upper-case hex',
      body_hash_base64: 'the body hash in base64',
      crlf: 'lines joined by CR LF',
      trailing_newline: 'a newline at the end',
      missing_query_line: 'five lines: none for the query',
      lines_swapped: 'timestamp and nonce in each other’s place',
    },
    values: {
      verb: { about: 'this verb is signed', type: 'string' },
      path: { about: 'this path is signed', type: 'string' },
    },
  },
  tamper: {
    about: 'one part of the request, changed after it was signed',
    words: {
      method: 'GET becomes POST, any other verb becomes GET',
      path: 'one slash more at the end',
      query: 'one pair more',
      body: 'one space more, inside the outermost bracket or at the end',
      body_padded: 'one line end more, behind it',
      timestamp: 'one second later',
      timestamp_padded: 'a zero in front of the timestamp',
      nonce: 'another last character',
    },
    values: {
      method: { about: 'this verb is sent', type: 'string' },
      path: { about: 'this path is sent', type: 'string' },
      query: {
        about: 'a pair is added, the last one removed, or its value altered',
        type: 'string',
        among: ['add', 'remove', 'alter'],
      },
      body: { about: 'this body is sent', type: 'string' },
      timestamp: { about: 'this timestamp is sent', type: 'string' },
      nonce: { about: 'this nonce is sent', type: 'string' },
    },
  },
  duplicate_header: {
    about: 'one header sent twice, with the same value',
    words: {
      key_id: 'the key id',
      timestamp: 'the timestamp',
      nonce: 'the nonce',
      signature: 'the signature',
    },
    values: {},
  },
} as const satisfies Record<string, FaultRow>

/** Where a fault is: the one key of a fault object. */
type FaultName = keyof typeof FAULTS
type WordOf<Name extends FaultName> = keyof (typeof FAULTS)[Name]['words']
type TypeOf<Value> = Value extends { readonly among: readonly (infer Among)[] }
  ? Among
  : Value extends { readonly type: 'integer' }
    ? number
    : string
type OneOf<Values> = { [Key in keyof Values]: { readonly [Only in Key]: TypeOf<Values[Key]> } }[keyof Values]
type ValueOf<Name extends FaultName> = OneOf<(typeof FAULTS)[Name]['values']>

/**
 * One fault: an object with exactly one key, beside which is a word or another object with one key.
 *
 * @example const fault: Fault = { timestamp: { shift: -310 } }
 */
export type Fault = {
  [Name in FaultName]: { readonly [Only in Name]: WordOf<Name> | ValueOf<Name> } & NoOther<Name>
}[FaultName]
type NoOther<Name extends FaultName> = { readonly [Other in Exclude<FaultName, Name>]?: never }

/** The fault would leave this call as it is: a check that cannot fail is a defect of the scenario. */
export class FaultHasNoEffectError extends Error {
  override name = 'FaultHasNoEffectError'
  readonly fault: Fault

  constructor(fault: Fault, why: string) {
    super(`the fault ${describeFault(fault)} has no effect on this call: ${why}`)
    this.fault = fault
  }
}

/** The fault names something the run does not know: a step that was not sent, a credential that does not exist. */
export class FaultContextError extends Error {
  override name = 'FaultContextError'
}

/**
 * A fault in a few words, as a scenario would write it. Values of faults are the author's, never secrets.
 *
 * @example describeFault({ timestamp: { shift: -310 } }) // 'timestamp: { shift: -310 }'
 */
export function describeFault(fault: Fault): string {
  const [[name, detail] = []] = Object.entries(fault)
  if (typeof detail === 'string') return `${name}: ${detail}`
  const [[key, value] = []] = Object.entries(detail ?? {})
  return `${name}: { ${key}: ${JSON.stringify(value)} }`
}
