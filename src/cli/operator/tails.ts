import type { Command } from 'commander'
import { escapeLine } from '../../conformance/reporters/escape.ts'
import { ENDPOINT_IDS } from '../../contract/endpoints.ts'
import { ERROR_CODES } from '../../contract/errors.ts'
import { EVENT_TYPES } from '../../contract/event-types.ts'
import { choiceOption } from '../choice-option.ts'
import { isRecord, type Row } from '../output/records.ts'
import type { Session } from '../session.ts'
import { commandError } from './command-errors.ts'
import { addSubcommand, type OperatorContext } from './operator-command.ts'
import { deliveryLine, eventLine, requestLine } from './show/tail-lines.ts'
import { tail } from './tail.ts'

const HELP = '\nCtrl-C ends it. With --json each line is one JSON object.'

/** `event tail`: what is wrong of a filter is refused before anything is asked. */
export function addEventTail(command: Command, session: Session): void {
  addSubcommand<{ type?: string; partner?: string; after?: string }>(command, session, {
    usage: 'tail',
    summary: 'follow the events of all partners as they happen',
    options: (options) =>
      options
        .addOption(choiceOption('--type <type>', 'only those of this type', EVENT_TYPES))
        .option('--partner <id>', 'only those of this partner')
        .option('--after <id>', 'first all that came after this event')
        .addHelpText('after', HELP),
    run: (context, _args, { type, partner, after }) =>
      tail(context, session, {
        kind: 'event',
        after,
        wanted: (row) => fits(row, { type, partner_id: partner }),
        line: eventLine,
      }),
  })
}

/** `delivery tail`. */
export function addDeliveryTail(command: Command, session: Session): void {
  addSubcommand<{ type?: string; partner?: string; state?: string }>(command, session, {
    usage: 'tail',
    summary: 'follow webhook deliveries: each attempt as it is made, and what is dropped',
    options: (options) =>
      options
        .addOption(
          choiceOption('--state <state>', 'only those in this state then', [
            'pending',
            'delivered',
            'failed',
            'dropped',
          ]),
        )
        .addOption(choiceOption('--type <type>', 'only those of events of this type', EVENT_TYPES))
        .option('--partner <id>', 'only those to this partner')
        .addHelpText('after', HELP),
    run: (context, _args, { state, type, partner }) =>
      tail(context, session, {
        kind: 'delivery',
        wanted: (row) => !isWaiting(row) && fits(row, { state, type, partner_id: partner }),
        line: deliveryLine,
      }),
  })
}

interface RequestOptions {
  status?: string
  code?: string
  endpoint?: string
  key?: string
}

/** `request tail`. */
export function addRequestTail(command: Command, session: Session): void {
  addSubcommand<RequestOptions>(command, session, {
    usage: 'tail',
    summary: 'follow the calls as they are answered; a refused signature with what was wrong',
    options: (options) =>
      options
        .option('--status <n>', 'only answers with this status, or of this class: 401, 4xx')
        .addOption(choiceOption('--code <code>', 'only refusals with this code', ERROR_CODES))
        .addOption(choiceOption('--endpoint <id>', 'only calls of this endpoint', ENDPOINT_IDS))
        .option('--key <id>', 'only calls with this key id')
        .addHelpText('after', HELP),
    run: (context, _args, { status, code, endpoint, key }) => {
      const hasStatus = statusFilter(status)
      return tail(context, session, {
        kind: 'request',
        wanted: (row) => hasStatus(row['status']) && fits(row, { code, endpoint, key_id: key }),
        line: requestLine,
        note: (row) => diagnosisOf(context, row),
      })
    },
  })
}

function isWaiting({ state, attempt_count }: Row): boolean {
  return state === 'pending' && attempt_count === 0
}

function fits(row: Row, wanted: Readonly<Record<string, string | undefined>>): boolean {
  return Object.entries(wanted).every(([name, value]) => value === undefined || row[name] === value)
}

function statusFilter(wanted: string | undefined): (status: unknown) => boolean {
  if (wanted === undefined) return () => true
  if (!/^[1-5](?:\d\d|xx)$/i.test(wanted)) throw commandError('status-filter', { text: wanted })
  const pattern = new RegExp(`^${wanted.replace(/xx$/i, '\\d\\d')}$`)
  return (status) => pattern.test(String(status))
}

/** The one sentence on a refused signature, which takes some working out and so is no part of the list. */
async function diagnosisOf(context: OperatorContext, row: Row): Promise<string | null> {
  if (row['code'] !== 'invalid_signature') return null
  try {
    const shown = await context.call('requests.show', { request_id: String(row['request_id']) })
    const { diagnosis, detail } = isRecord(shown) ? shown : {}
    const said = isRecord(diagnosis) ? diagnosis['sentence'] : detail
    return typeof said === 'string' && said !== '' ? escapeLine(said) : null
  } catch {
    // The log of a busy world may have it no more.
    return null
  }
}
