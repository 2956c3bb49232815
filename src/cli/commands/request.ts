import type { Command } from 'commander'
import { ENDPOINT_IDS } from '../../contract/endpoints.ts'
import { ERROR_CODES } from '../../contract/errors.ts'
import { choiceOption } from '../choice-option.ts'
import { addSubcommand, queryOf } from '../operator/operator-command.ts'
import type { Session } from '../operator/session.ts'
import { addRequestTail } from '../operator/tails.ts'
import { instantText, integerBetween, nonEmpty } from '../option-parsers.ts'
import { requestList, requestText } from '../output/request.ts'

interface ListOptions {
  status?: string
  code?: string
  limit?: number
  cursor?: number
  endpoint?: string
  key?: string
  credential?: string
  method?: string
  search?: string
  since?: string
  until?: string
  refused?: boolean
}

export function configure(command: Command, session: Session): void {
  addSubcommand<ListOptions>(command, session, {
    usage: 'list',
    summary: 'the latest calls, newest first',
    options: listOptions,
    run: async (context, _args, options) => {
      const query = listQuery(options)
      context.show(await context.askWorld('GET', `/requests${query}`), requestList)
    },
  })
  addRequestTail(command, session)
  addSubcommand<{ world?: string }>(command, session, {
    usage: 'show <id>',
    summary: 'one call of any world: why it was refused, what was sent, checked and answered',
    run: async (context, [id = ''], { world }) => {
      const path = `/requests/${encodeURIComponent(id)}`
      const answer = world === undefined ? await context.ask('GET', path) : await context.askWorld('GET', path)
      context.show(answer, (shown) => requestText(shown, session))
    },
  })
}

function listOptions(list: Command): Command {
  return list
    .option('--refused', 'only what an authentication check refused')
    .option('--status <n>', 'only answers with this status, or of a class: 401, 4xx', nonEmpty)
    .addOption(choiceOption('--code <code>', 'only refusals with this code', ERROR_CODES))
    .addOption(choiceOption('--endpoint <id>', 'only calls of this endpoint', ENDPOINT_IDS))
    .option('--method <verb>', 'only calls with this verb')
    .option('--key <id>', 'only calls with this key id')
    .option('--credential <name>', 'only calls of this credential, e.g. main')
    .option('--search <text>', 'only calls with this text in target, headers, body or answer', nonEmpty)
    .option('--since <iso>', 'only calls that arrived then or later', instantText)
    .option('--until <iso>', 'only calls that arrived before', instantText)
    .option('--limit <n>', 'how many', integerBetween(1, 1000))
    .option('--cursor <n>', 'go on from here', integerBetween(1, 1e15))
    .addHelpText(
      'after',
      '\nA call whose key id nobody knows belongs to no world: it is in the log of the world "default".',
    )
}

function listQuery({ key, search, refused, limit, cursor, ...rest }: ListOptions): string {
  const { status, code, endpoint, credential, method, since, until } = rest
  const others = { key_id: key, q: search, refused: refused ? 'true' : undefined }
  const page = { limit: limit?.toString(), cursor: cursor?.toString() }
  return queryOf({ status, code, endpoint, credential, method, since, until, ...others, ...page })
}
