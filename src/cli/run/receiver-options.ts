import { readFileSync } from 'node:fs'
import { parseDuration } from '../../clock/duration.ts'
import { type OwnEvent, readOwnEvents } from '../../conformance/receiver/own-events.ts'
import type { ReceiverOptions } from '../../conformance/receiver/receiver-options.ts'
import { CliError, type Session } from '../session.ts'
import { secretFromEnv } from '../signing/signer.ts'
import { filterOf } from './selection.ts'

/** As the command line has them. */
export interface ReceiverArguments {
  secretEnv: string
  only?: string[]
  requirement?: string[]
  header?: string[]
  events?: string
  effectsUrl?: string
  timeout?: string
  insecure?: boolean
  reporter?: string[]
  verbose?: boolean
  allowUnverified?: boolean
}

/** As the judge takes them. */
export type JudgedReceiver = Omit<ReceiverOptions, 'registry' | 'wall' | 'toolVersion'>

/** @throws CliError for what cannot be. */
export function receiverOptions(url: string, given: ReceiverArguments, session: Session): JudgedReceiver {
  const { only, requirement, events, effectsUrl, timeout, insecure } = given
  return {
    url: addressOf(url, 'the receiver'),
    secret: secretFromEnv(given.secretEnv, session.env) ?? '',
    headers: (given.header ?? []).map((text) => headerOf(text, session.env)),
    ...filterOf({ ...(only && { only }), ...(requirement && { requirement }) }),
    ...(events === undefined ? {} : { ownEvents: eventsOf(events) }),
    ...(effectsUrl === undefined ? {} : { effectsUrl: effectsAddress(effectsUrl) }),
    ...(timeout === undefined ? {} : { timeoutMs: timeoutOf(timeout) }),
    ...(insecure === undefined ? {} : { insecure }),
  }
}

function addressOf(text: string, whose: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new CliError(`the address of ${whose} must be an http:// or https:// one, e.g. http://localhost:3000/hooks`)
  if (url.username !== '' || url.password !== '')
    throw new CliError(
      `the address of ${whose} contains a user name; give it as --header 'Authorization=\${env:VARIABLE}'`,
    )
  return url.href
}

function effectsAddress(text: string): string {
  const href = addressOf(text, '--effects-url')
  const pointer = decoded(new URL(href).hash.slice(1))
  if (pointer === null || (pointer !== '' && !pointer.startsWith('/')))
    throw new CliError(
      '--effects-url: the part after # must be a JSON pointer, e.g. http://localhost:3000/stats#/events',
    )
  return href
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

/** The document's limit, and enough more that a late answer differs from none. */
const SHORTEST_TIMEOUT_MS = 6_000
const LONGEST_TIMEOUT_MS = 120_000

function timeoutOf(text: string): number {
  const timeoutMs = parseDuration(text) ?? 0
  if (timeoutMs >= SHORTEST_TIMEOUT_MS && timeoutMs <= LONGEST_TIMEOUT_MS) return timeoutMs
  throw new CliError('--timeout: it must be from 6s to 2m; an answer counts as late after 5 s in any case')
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const REFERENCE = /^\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}$/
// biome-ignore lint/suspicious/noControlCharactersInRegex: a header may not hold them
const UNSENDABLE = /[\u0000-\u0008\u000a-\u001f\u007f]/

/** What a delivery has of its own: another value would make it one that the service never sends. */
const OURS = [
  'x-partner-signature',
  'content-type',
  'content-length',
  'transfer-encoding',
  'connection',
  'host',
  'user-agent',
  'expect',
]
/** Headers that hold a secret. */
const SECRET_NAMES = ['authorization', 'proxy-authorization', 'cookie', 'x-api-key']

function headerOf(text: string, env: Session['env']): { name: string; value: string; isSecret: boolean } {
  const at = text.indexOf('=')
  const name = text.slice(0, Math.max(0, at))
  const literal = text.slice(at + 1)
  if (at < 1 || !TOKEN.test(name)) throw new CliError(`--header: it must be NAME=VALUE or NAME=\${env:VARIABLE}`)
  if (OURS.includes(name.toLowerCase()))
    throw new CliError(`--header: ${name} is part of every delivery and cannot be changed`)
  const variable = REFERENCE.exec(literal)?.[1]
  if (variable === undefined && SECRET_NAMES.includes(name.toLowerCase()))
    throw new CliError(
      `--header: ${name} holds a secret, which the list of processes would show; write ${name}=\${env:VARIABLE}`,
    )
  const value = variable === undefined ? literal : env[variable]
  if (!value)
    throw new CliError(
      `--header: ${variable === undefined ? `${name} has no value` : `the environment has no ${variable}, or it is empty`}`,
    )
  if (UNSENDABLE.test(value)) throw new CliError(`--header: the value of ${name} holds a character that no header can`)
  return { name, value, isSecret: variable !== undefined }
}

const MOST_PROBLEMS = 5

function eventsOf(file: string): OwnEvent[] {
  const { events, problems } = readOwnEvents(jsonOf(file))
  if (problems.length === 0) return events
  const more = problems.length > MOST_PROBLEMS ? `; and ${problems.length - MOST_PROBLEMS} more` : ''
  throw new CliError(`--events: ${file}: ${problems.slice(0, MOST_PROBLEMS).join('; ')}${more}`)
}

function jsonOf(file: string): unknown {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new CliError(`--events: cannot read ${file} (${(error as NodeJS.ErrnoException).code})`)
  }
  try {
    return JSON.parse(text)
  } catch {
    throw new CliError(`--events: ${file} is not JSON`)
  }
}
