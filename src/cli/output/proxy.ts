import { sandboxFlag } from '../../operator-api/address.ts'
import type { RunningProxy } from '../../proxy/start-proxy.ts'
import type { Session } from '../session.ts'
import { colors } from './color.ts'
import { fields, indented } from './table.ts'

/** What a person sees when a proxy has started: the address for the client, and how to see its calls. */
export function proxyBanner({ url, target, operator, webhooksUrl, isOpenToNetwork }: RunningProxy, session: Session) {
  const paint = colors(session)
  const facts = fields([
    ['Client calls', url],
    ['Target', target],
    ['Operator', `${operator.url} (in a browser: the console)`],
    ...(operator.token === null ? [] : [['Token', operator.token] as const]),
    ...(webhooksUrl === null ? [] : [['Webhooks', webhooksUrl] as const]),
  ])
  const open = isOpenToNetwork
    ? `\n${paint.bold('Warning: this address is not loopback. Anyone who can reach this machine can use this proxy.')}\n`
    : ''
  const tail = paint.cyan(`${session.program} request tail${sandboxFlag(operator.url)}`)
  return `${paint.bold('The proxy is ready')}\n\n${indented(facts)}${open}\nGive your client the first address, and change nothing else. Each call appears here, and in:\n\n  ${tail}\n\nStop it with Ctrl-C.\n`
}
