import { InvalidArgumentError, Option } from 'commander'
import { durationProblem, parseDuration } from '../clock/duration.ts'
import { parseInstant } from '../clock/instant.ts'
import { isShard, SHARD_FORM } from '../contract/ids.ts'
import { shellQuote } from '../contract/shell-quote.ts'
import { closestTo } from '../contract/words.ts'

/** Reads a whole number between two bounds, for commander. */
export function integerBetween(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    if (!(value >= min && value <= max))
      throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`)
    return value
  }
}

export const port = integerBetween(0, 65_535)

/** Reads an ISO 8601 instant and returns milliseconds, for commander. */
export function instantMs(text: string): number {
  const ms = parseInstant(text)
  if (ms === null || ms < 0)
    throw new InvalidArgumentError(
      'It must be ISO 8601 from 1970 on: a date, or a time with its zone, e.g. 2026-01-31T12:00:00Z.',
    )
  return ms
}

/** Reads a duration and returns milliseconds, for commander. */
export function durationMs(text: string): number {
  const ms = parseDuration(text)
  if (ms === null) throw new InvalidArgumentError(`It ${durationProblem(text)}.`)
  return ms
}

/** The same, kept as it is written. */
export function instantText(text: string): string {
  instantMs(text)
  return text
}

/** The same, kept as it is written. */
export function durationText(text: string): string {
  durationMs(text)
  return text
}

const HTTP_ADDRESS = /^https?:\/\/(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d+)?(?:\/(?:[\w.~/-]|%[0-9a-f]{2})*)?$/i

/**
 * Reads the address of a web server, for commander: only a path may follow.
 *
 * @example httpAddress('https://Sandbox.Example.test/') // 'https://sandbox.example.test'
 */
export function httpAddress(text: string): string {
  const url = HTTP_ADDRESS.test(text) && URL.canParse(text) ? new URL(text) : null
  if (!url)
    throw new InvalidArgumentError(
      'It must be an http:// or https:// address without user, query and fragment, e.g. https://sandbox.example.test.',
    )
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '')
}

/** Reads `1000/10` (calls/seconds) or `off`, for commander. */
export function rateLimit(text: string): { requests: number; seconds: number } | 'off' {
  if (text === 'off') return 'off'
  const [, requests, seconds] = /^(\d{1,9})\/(\d{1,6})$/.exec(text) ?? []
  if (!Number(requests) || !Number(seconds))
    throw new InvalidArgumentError('It must be CALLS/SECONDS, e.g. 1000/10, or off.')
  return { requests: Number(requests), seconds: Number(seconds) }
}

/** Reads a text that must not be empty, as a variable that was never set would make it, for commander. */
export function nonEmpty(text: string): string {
  if (text === '') throw new InvalidArgumentError('It must not be empty.')
  return text
}

/** Reads a bearer token: something a header can carry, for commander. */
export function bearerToken(text: string): string {
  if (!/^[\x21-\x7e]+$/.test(text))
    throw new InvalidArgumentError('It must be visible ASCII characters without spaces.')
  return text
}

/** An option of every command that opens or uses an operator port. */
export const OPERATOR_TOKEN = [
  '--operator-token <token>',
  'bearer token of the operator port (env: PARTNER_SANDBOX_OPERATOR_TOKEN)',
] as const

/** Reads the label of a shard, for commander. */
export function shardLabel(text: string): string {
  if (!isShard(text)) throw new InvalidArgumentError(`It must be ${SHARD_FORM}.`)
  return text
}

/** Collects an option that may be given more than once, for commander. */
export function collect(text: string, earlier: string[] | undefined): string[] {
  return [...(earlier ?? []), text]
}

/** @example flagOf('updatePins') // '--update-pins' */
export function flagOf(option: string): string {
  return `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

/** The first of these options that is given, as it is typed. */
export function givenFlag<Name extends string>(
  options: { readonly [Key in Name]?: unknown },
  names: readonly Name[],
): string | undefined {
  const given = names.find((name) => options[name] !== undefined)
  return given && flagOf(given)
}

/**
 * Options as they would be typed again, each after a space.
 *
 * @example typedAgain({ keyId: 'pk_1', ask: true, mode: undefined }) // ' --key-id pk_1 --ask'
 */
export function typedAgain(
  options: Readonly<Record<string, string | readonly string[] | boolean | undefined>>,
): string {
  const words = Object.entries(options).flatMap(([name, value]) => {
    if (value === undefined || value === false) return []
    return [flagOf(name), ...(value === true ? [] : [value].flat())]
  })
  return words.map((word) => ` ${shellQuote(word)}`).join('')
}

/**
 * An option that takes one of a closed set of values: the Tab key offers them, and any other word is refused
 * with the one that was probably meant.
 *
 * @example list.addOption(choiceOption('--type <type>', 'only of this type', EVENT_TYPES))
 */
export function choiceOption(flags: string, description: string, values: readonly string[]): Option {
  return new Option(flags, description).choices(values).argParser((text: string) => oneOf(text, values))
}

/** The same for a list of them with commas between; its reader judges the words, the Tab key offers the first. */
export function choicesOption(flags: string, description: string, values: readonly string[]): Option {
  return new Option(flags, description).choices(values).argParser((text: string) => text)
}

function oneOf(text: string, values: readonly string[]): string {
  if (values.includes(text)) return text
  const near = closestTo(text, values)
  throw new InvalidArgumentError(near === null ? `It must be one of ${values.join(', ')}.` : `Did you mean "${near}"?`)
}
