import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { renamed } from './line-schema.ts'
import { LINES, type LineOf, type LineType, LOG_FORMAT } from './lines.ts'

/** Longer than any line that a run writes. */
const MAX_LINE_CHARACTERS = 8 * 1024 * 1024

/** Deeper than any answer has a use for, and far from what a stack holds. */
const MAX_DEPTH = 100

/** A message quotes the log, and a log is a file from outside. */
const MAX_MESSAGE_CHARACTERS = 300

/** As much of a message as fits a line of an error. */
function oneLine(message: string): string {
  return message.length <= MAX_MESSAGE_CHARACTERS ? message : `${message.slice(0, MAX_MESSAGE_CHARACTERS)}…`
}

/** A log cannot be used; the message says why in one line. */
export class UnusableLogError extends Error {
  override name = 'UnusableLogError'
  /** From 1. */
  readonly line: number

  constructor(line: number, message: string) {
    super(oneLine(message))
    this.line = line
  }
}

export type Line = { [Type in LineType]: { type: Type; at: number; value: LineOf<Type> } }[LineType]

/**
 * The lines of a log. A last one that was cut off in the middle is left out: that is what a killed run leaves.
 *
 * @throws UnusableLogError if another line is not one of a log.
 */
export function readLines(text: string): Line[] {
  const lines = text.split('\n')
  const last = lines.pop() ?? ''
  const whole = lines.map((line, index) => readLine(line, index + 1))
  return fromJson(last) !== undefined ? [...whole, readLine(last, lines.length + 1)] : whole
}

function readLine(line: string, at: number): Line {
  if (line.length > MAX_LINE_CHARACTERS)
    throw new UnusableLogError(at, `a line of ${line.length} characters is too long for the log of a run`)
  const data = parsed(line, at)
  const { type, ...members } = data
  if (typeof type !== 'string' || !isLineType(type)) {
    const known = Object.keys(LINES).join(', ')
    throw new UnusableLogError(at, `the line is not part of a run's log: its type is not one of ${known}`)
  }
  const format = members['format']
  if (type === 'run' && format !== LOG_FORMAT)
    throw new UnusableLogError(at, `the log is of format ${JSON.stringify(format)}; this version reads ${LOG_FORMAT}`)
  const validate = validatorOf(type)
  if (!validate(members)) throw new UnusableLogError(at, `not a line of type ${type}: ${inWords(validate.errors?.[0])}`)
  return { type, at, value: renamed(members, LINES[type].json, 'in') } as Line
}

function parsed(line: string, at: number): Record<string, unknown> {
  const data = fromJson(line)
  if (typeof data !== 'object' || data === null || Array.isArray(data))
    throw new UnusableLogError(at, 'the line is not a JSON object, so this is not the log of a run')
  if (isDeeperThan(data, MAX_DEPTH))
    throw new UnusableLogError(at, `the line is nested deeper than ${MAX_DEPTH} levels`)
  return data as Record<string, unknown>
}

/** Undefined for what is not JSON, or too long to be a line. */
function fromJson(line: string): unknown {
  if (line.length > MAX_LINE_CHARACTERS) return undefined
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(inner, levels - 1))
}

function isLineType(type: string): type is LineType {
  return Object.hasOwn(LINES, type)
}

/** Made when first needed: it takes a while, and a run that only writes has no use for them. */
const validators = new Map<LineType, ValidateFunction>()

function validatorOf(type: LineType): ValidateFunction {
  const known = validators.get(type)
  if (known) return known
  const made = new Ajv({ strict: false }).compile(LINES[type].json)
  validators.set(type, made)
  return made
}

function inWords(error: ErrorObject | undefined): string {
  const { instancePath = '', message = 'it is wrong', params = {} } = error ?? {}
  const name = (params as { additionalProperty?: unknown }).additionalProperty
  return `${instancePath} ${message}${typeof name === 'string' ? ` (${name})` : ''}`.trim()
}
