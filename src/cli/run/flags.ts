import { type Command, InvalidArgumentError } from 'commander'
import { REPORTER_NAMES, REPORTERS } from '../../conformance/reports/reporters.ts'
import type { Target } from '../../conformance/target/target.ts'
import { didYouMean } from '../../contract/words.ts'
import { collect } from '../option-parsers.ts'

/** Reads what a run fails on besides violations, for commander. */
export function failOn(text: string, earlier: 'drift'[] | undefined): 'drift'[] {
  if (text !== 'drift') throw new InvalidArgumentError(`It must be "drift"${didYouMean(text, ['drift'])}.`)
  return [...(earlier ?? []), text]
}

const KINDS = { orders: 'orders', quotes: 'quotes', requests: 'requests', per_second: 'perSecond' } as const

const FORM = 'It must be limits such as orders=20,quotes=20,requests=500,per_second=5'

/** Reads `orders=20,requests=500`, for commander. */
export function budget(text: string): Partial<Target['budget']> {
  const limits = text.split(',').map((part) => limitIn(part))
  const names = limits.map(([name]) => name)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) throw new InvalidArgumentError(`${FORM}; ${twice} is given twice.`)
  return Object.fromEntries(limits.map(([name, value]) => [KINDS[name], value]))
}

function limitIn(part: string): [keyof typeof KINDS, number] {
  const [, name = '', digits = ''] = /^([a-z_]+)=(\d{1,9})$/.exec(part.trim()) ?? []
  if (name === '') throw new InvalidArgumentError(`${FORM}.`)
  if (!Object.hasOwn(KINDS, name))
    throw new InvalidArgumentError(`Unknown limit "${name}"${didYouMean(name, Object.keys(KINDS))}.`)
  const value = Number(digits)
  if (value === 0 && (name === 'per_second' || name === 'requests'))
    throw new InvalidArgumentError(`${name} must be 1 or more.`)
  return [name as keyof typeof KINDS, value]
}

/** Adds what every command that makes reports has, and what each report is for to the end of its help. */
export function withReporters(command: Command): Command {
  return command
    .option(
      '--reporter <name[=file]>',
      `${REPORTER_NAMES.join(', ')}; may be given more than once (default: pretty)`,
      collect,
    )
    .option('--output <dir>', 'also write a file of every format to this folder')
    .option('--verbose', 'pretty: every failed check with its signed lines, every id and observation')
    .option('--allow-unverified', 'exit 0 even if requirements were not verified, as long as none failed')
    .addHelpText('after', reporterHelp)
}

function reporterHelp(): string {
  const width = Math.max(...REPORTER_NAMES.map((name) => name.length))
  const lines = REPORTER_NAMES.map((name) => `  ${name.padEnd(width)}  ${REPORTERS[name].summary}\n`)
  return `\nReporters:\n${lines.join('')}`.trimEnd()
}
