import type { Command } from 'commander'
import { isScope, SCOPES, type Scope } from '../../contract/scopes.ts'
import { didYouMean } from '../../contract/words.ts'
import type { BodyOf } from '../../operator-api/operations.ts'
import { credentialRows } from '../../operator-api/rows/credentials.ts'
import { commandError } from '../operator/command-errors.ts'
import type { Group } from '../operator/group.ts'
import { type BodyFlags, bodyFrom, withMemberFlags } from '../operator/member-flags.ts'
import type { OperatorCommand, OperatorContext } from '../operator/operator-command.ts'
import { factsText } from '../operator/show/facts.ts'
import { choicesOption, nonEmpty } from '../option-parsers.ts'
import { rowsOf } from '../output/records.ts'

const STANDING: BodyFlags<'credentials.set'> = [
  ['affiliate', '--affiliate', 'link it to an affiliate account'],
  ['affiliate', '--no-affiliate', 'do not link it to an affiliate account'],
  ['merchant_of_record', '--merchant-of-record', 'make its partner merchant of record'],
  ['merchant_of_record', '--no-merchant-of-record', 'do not make its partner merchant of record'],
]

const CREATE: OperatorCommand<{ scopes?: string; partner?: string }> = {
  usage: 'credential create <name>',
  summary: 'create a credential and print its secret (only now)',
  options: (create) =>
    standingOptions(create).option('--partner <who>', 'main (default), other, new, or the id of a partner', nonEmpty),
  async run(context, [name = ''], options) {
    const body = { name, scopes: [...SCOPES], ...standingBody(options), ...partnerBody(options.partner) }
    context.show(await context.call('credentials.create', {}, body), factsText)
  },
}

const SET: OperatorCommand<{ scopes?: string; restored?: boolean }> = {
  usage: 'credential set <name>',
  summary: 'change a credential, given by name or key id, from its next call on',
  options: (set) => standingOptions(set).option('--restored', 'restore a revoked credential'),
  async run(context, [name = ''], { restored, ...options }) {
    const change = { ...standingBody(options), ...(restored && { revoked: false }) }
    if (Object.keys(change).length === 0) throw commandError('credential-unchanged')
    context.show(await context.call('credentials.set', await keyOf(context, name), change), factsText)
  },
}

const REVOKE: OperatorCommand = {
  usage: 'credential revoke <name>',
  summary: 'revoke a credential; undo with credential set --restored',
  async run(context, [name = '']) {
    context.show(await context.call('credentials.set', await keyOf(context, name), { revoked: true }), factsText)
  },
}

const ROTATE: OperatorCommand = {
  usage: 'credential rotate <name>',
  summary: 'issue a new secret and print it (only now)',
  async run(context, [name = '']) {
    context.show(await context.call('credentials.rotate', await keyOf(context, name)), factsText)
  },
}

const DELETE: OperatorCommand = {
  usage: 'credential delete <name>',
  summary: 'delete a credential; its orders stay with its partner',
  async run(context, [name = '']) {
    context.show(await context.call('credentials.delete', await keyOf(context, name)), () => `deleted ${name}\n`)
  },
}

function standingOptions(command: Command): Command {
  const scopes = choicesOption('--scopes <list>', 'scopes, separated by commas; "none" for no scope', [
    ...SCOPES,
    'none',
  ])
  return withMemberFlags(command.addOption(scopes), STANDING)
}

function standingBody(options: { scopes?: string }): BodyOf<'credentials.set'> {
  const { scopes } = options
  return {
    ...(scopes !== undefined && { scopes: scopeList(scopes) }),
    ...bodyFrom<'credentials.set'>(STANDING, options),
  }
}

function scopeList(written: string): Scope[] {
  const scopes = written === 'none' ? [] : written.split(',').map((scope) => scope.trim())
  const unknown = scopes.find((scope) => !isScope(scope))
  if (unknown === undefined) return scopes as Scope[]
  throw commandError('no-scope', { scope: unknown, hint: didYouMean(unknown, SCOPES), scopes: SCOPES.join(', ') })
}

/** Any other word than the three is the operator API's to refuse. */
function partnerBody(partner: string | undefined): { partner?: 'main' | 'other' | 'new'; partner_id?: string } {
  if (partner === undefined) return {}
  return partner.startsWith('ptr_') ? { partner_id: partner } : { partner: partner as 'main' | 'other' | 'new' }
}

/** People know names, the operator API goes by key ids. */
async function keyOf(context: OperatorContext, wanted: string): Promise<{ key_id: string }> {
  const all = rowsOf(await context.call('credentials.list', {}), 'credentials')
  const found = all.find(({ key_id: keyId, name }) => keyId === wanted || name === wanted)
  if (!found) {
    const names = all.map(({ name }) => name).join(', ')
    throw commandError('no-credential', { world: context.world, wanted, names })
  }
  return { key_id: String(found['key_id']) }
}

export const GROUP: Group = { rows: credentialRows, extras: { list: [CREATE, SET, REVOKE, ROTATE, DELETE] } }
