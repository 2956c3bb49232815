import type { ChalkInstance } from 'chalk'
import { formatDuration } from '../../clock/duration.ts'
import { formatInstant } from '../../clock/instant.ts'
import { escapeLine } from '../../conformance/reports/escape.ts'
import type { Activity } from '../../server.ts'
import type { Session } from '../session.ts'
import { colors } from './color.ts'

type Line<Kind> = (notice: Extract<Activity, { kind: Kind }>, paint: ChalkInstance, session: Session) => string

/**
 * What `serve` prints of a call, a refusal or an attempt of a delivery.
 *
 * @example activityLine(notice, session) // '02:17:52  POST  /api/partner/v1/orders  201  4 ms\n'
 */
export function activityLine(notice: Activity, session: Session): string {
  const paint = colors(session)
  const { kind, world, skipped } = notice
  const before = skipped === 0 ? '' : `${skippedLine(kind, world, skipped, session)}\n`
  const line = LINES[kind] as Line<Activity['kind']>
  return `${paint.dim(before)}${line(notice, paint, session)}\n`
}

const LINES: { readonly [Kind in Activity['kind']]: Line<Kind> } = {
  call: ({ atMs, world, method, path, status, code, tookMs }, paint) => {
    const words = [timeOf(atMs), method.padEnd(6), path, status, code ?? '', `${Math.round(tookMs)} ms`, of(world)]
    return (status >= 400 ? paint.reset : paint.dim)(joined(words))
  },
  refusal: ({ method, path, sentence, requestId }, paint, { program }) => {
    const command = paint.cyan(`${program} request show ${requestId}`)
    return `${paint.yellow(escapeLine(`refused ${method} ${path}: ${sentence}`))} (${command})`
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

function skippedLine(kind: Activity['kind'], world: string, skipped: number, { program }: Session): string {
  const option = of(world) && ` --world ${world}`
  return `${skipped} more ${THINGS[kind]}: ${program} ${LISTS[kind]}${option}`
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
