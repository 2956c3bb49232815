import type { Extras } from '../operator/group.ts'
import type { OperatorCommand } from '../operator/operator-command.ts'
import { requestText } from '../operator/show/request.ts'
import { REQUEST_TAIL } from '../operator/tails.ts'

const SHOW: OperatorCommand<{ world?: string }> = {
  usage: 'request show <id>',
  summary: 'one call of any world: why it was refused, what was sent, checked and answered',
  async run({ call, session, show }, [request_id = ''], { world }) {
    const operation = world === undefined ? 'requests.find' : 'requests.show'
    show(await call(operation, { request_id }), (answer) => requestText(answer, session))
  },
}

export const EXTRAS: Extras = { list: [REQUEST_TAIL, SHOW] }
