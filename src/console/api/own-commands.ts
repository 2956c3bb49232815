import type { SlimCommand } from 'virtual:operations'
import type { OperationId } from '../../operator-api/operations.ts'

const FAULT_FLAGS: SlimCommand['flags'] = {
  'match.endpoint': '--endpoint <id>',
  'match.credential': '--credential <name>',
  'match.domain': '--domain <name>',
  'effect.status': '--status <n>',
  'effect.retry_after': '--retry-after <seconds>',
  'effect.delay_ms': '--delay <n>ms',
  'effect.drop': '--drop <when>',
  'effect.garbage': '--garbage <kind>',
  times: '--times <n>',
}

const CREDENTIAL_FLAGS: SlimCommand['flags'] = {
  scopes: '--scopes <list>',
  affiliate: '--affiliate|--no-affiliate',
  merchant_of_record: '--merchant-of-record|--no-merchant-of-record',
}

const PRICE_FLAGS: SlimCommand['flags'] = { price_cents: '--price-cents <n>', floor_price_cents: '--floor-cents <n>' }

const CALM_NETWORK = {
  duplicate: 0,
  delay: null,
  reorder: false,
  drop: false,
  wrong_secret: false,
  before_response: false,
}

/** Commands with code of their own, for operations whose row has none. */
export const OWN_COMMANDS: Partial<Record<OperationId, readonly SlimCommand[]>> = {
  'requests.show': [own('request show <id>')],
  'clock.advance': [
    own('clock advance <by>', {}, { args: ['by'], omits: { list: 500 } }),
    own('clock advance', { until: '--until <what>', to: '--to <iso>' }, { omits: { list: 500 } }),
  ],
  'coverage.show': [own('coverage')],
  'worlds.create': [own('world create <name>', { seed: '--seed <text>', frozen: '--frozen' }, { args: ['name'] })],
  'credentials.create': [own('credential create <name>', CREDENTIAL_FLAGS, { args: ['name'] })],
  'credentials.set': [
    own('credential revoke <name>', {}, { sends: { revoked: true } }),
    own('credential set <name>', { ...CREDENTIAL_FLAGS, revoked: '|--restored' }),
  ],
  'credentials.rotate': [own('credential rotate <name>')],
  'domains.create': [own('domain add <name>', PRICE_FLAGS, { args: ['domain'] })],
  'domains.set': [own('domain set <name>', { ...PRICE_FLAGS, listed: '--listed|--unlisted' })],
  'deliveries.probe': [own('delivery probe <id>')],
  'deliveryProfile.set': [
    own('delivery profile --reset', {}, { sends: CALM_NETWORK }),
    own(
      'delivery profile',
      {
        duplicate: '--duplicate <n>',
        delay: '--delay <duration>',
        reorder: '--reorder',
        drop: '--drop',
        wrong_secret: '--wrong-secret',
        before_response: '--before-response',
      },
      { omits: CALM_NETWORK },
    ),
  ],
  'faults.add': [own('fault add --forever', FAULT_FLAGS, { sends: { times: null } }), own('fault add', FAULT_FLAGS)],
  'gaps.show': [own('gap list')],
  'audit.show': [own('audit')],
}

function own(
  usage: string,
  flags: SlimCommand['flags'] = {},
  rest: Pick<SlimCommand, 'args' | 'sends' | 'omits'> = {},
): SlimCommand {
  return { usage, summary: usage, flags, ...rest }
}
