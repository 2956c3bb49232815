import type { ChalkInstance } from 'chalk'
import { formatDuration } from '../../clock/duration.ts'
import { formatInstant } from '../../clock/instant.ts'
import { escapeLine } from '../../conformance/reports/escape.ts'
import { sandboxFlag } from '../../operator-api/usual-address.ts'
import type { Activity } from '../../server.ts'
import type { Session } from '../session.ts'
import { colors } from './color.ts'

/** Writes the command that shows more, of these words; null if no operator could answer it. */
type Command = (words: string) => string | null

type Line<Kind> = (notice: Extract<Activity, { kind: Kind }>, paint: ChalkInstance, command: Command) => string

/**
 * What `serve` prints of a call, a refusal or an attempt of a delivery.
 *
 * @param operatorUrl null without an operator port.
 * @example activityLine(notice, session, 'http://127.0.0.1:4601') // '02:17:52  POST  /api/partner/v1/orders  201  4 ms\n'
 */
export function activityLine(notice: Activity, session: Session, operatorUrl: string | null): string {
  const paint = colors(session)
  const { kind, world, skipped } = notice
  const command: Command = (words) => operatorUrl && `${session.program} ${words}${sandboxFlag(operatorUrl)}`
  const before = skipped === 0 ? '' : `${skippedLine(kind, world, skipped, command)}\n`
  const line = LINES[kind] as Line<Activity['kind']>
  return `${paint.dim(before)}${line(notice, paint, command)}\n`
}

const LINES: { readonly [Kind in Activity['kind']]: Line<Kind> } = {
  call: ({ atMs, world, method, path, status, code, tookMs }, paint) => {
    const words = [timeOf(atMs), method.padEnd(6), path, status, code ?? '', `${Math.round(tookMs)} ms`, of(world)]
    return (status >= 400 ? paint.reset : paint.dim)(joined(words))
  },
  refusal: ({ method, path, sentence, requestId }, paint, command) => {
    const more = command(`request show ${requestId}`)
    return (
      paint.yellow(escapeLine(`refused ${method} ${path}: ${sentence}`)) +
      (more === null ? '' : ` (${paint.cyan(more)})`)
    )
  },
  delivery: ({ atMs, world, type, attempt, status, failure, nextInMs, deliveryId }, paint) => {
    const outcome = failure === null ? `delivered (${status})` : `failed: ${failure}`
    const next = nextInMs === null ? '' : `next attempt in ${formatDuration(Math.max(nextInMs, 0))}`
    const words = [timeOf(atMs), 'webhook', type, deliveryId, `attempt ${attempt} ${outcome}`, next, of(world)]
    return (failure === null ? paint.dim : paint.yellow)(joined(words))
  },
}

const LISTS = { call: 'request list', refusal: 'request list --refused', delivery: 'delivery list' } as const
const THINGS = { call: 'calls', refusal: 'refused calls', delivery: 'attempts of deliveries' } as const

function skippedLine(kind: Activity['kind'], world: string, skipped: number, command: Command): string {
  const list = command(LISTS[kind] + (of(world) && ` --world ${world}`))
  return `${skipped} more ${THINGS[kind]}${list === null ? '' : `: ${list}`}`
}

/** The first world needs no name. */
function of(world: string): string {
  return world === 'default' ? '' : world
}

function joined(words: readonly (string | number)[]): string {
  return escapeLine(words.filter((word) => word !== '').join('  '))
}

function timeOf(atMs: number): string {
  return formatInstant(atMs).slice(11, 19)
}
