import { endpointOf } from '../../../sandbox/webhooks/endpoints.ts'
import { created } from '../../../sandbox/wire/route.ts'
import { answeringWhere, asDatabaseTime, type Fields } from '../answers.ts'
import { type Defect, defect } from '../defect.ts'
import { readable } from '../orders.ts'
import { altering, handling } from '../routes.ts'

/** Mistakes of registering a webhook: of the signature of the PUT, and of its answer. */
export const registrationDefects: readonly Defect[] = [
  defect('first-registration-is-201', ['HOOK-01'], {
    summary: 'The first registration of a partner is answered 201.',
    ...handling('webhooks.put', (input, correct) => {
      const isFirst = endpointOf(input.world.db, input.caller.partnerId) === null
      const reply = correct(input)
      return isFirst ? created(reply.body) : reply
    }),
  }),
  defect('registration-that-is-refused-ends-the-former', ['HOOK-06'], {
    summary: 'A registration without a url is refused, and ends the one before.',
    ...answeringWhere(
      ({ status }, call) => call.endpoint === 'webhooks.put' && status === 400,
      (answer, { world, credential }) => {
        world?.db.prepare('DELETE FROM webhook_endpoints WHERE partner_id = ?').run(credential?.partnerId)
        return answer
      },
    ),
  }),
  defect('registration-without-its-scope-replaces-the-former', ['SCOPE-07'], {
    summary: 'A registration of a credential without the scope webhook is refused once it has been made.',
    ...answeringWhere(
      ({ status }, call) => call.endpoint === 'webhooks.put' && status === 403,
      (answer, { world, credential, body }) => {
        const { url, secret } = readable(body)
        world?.db
          .prepare('UPDATE webhook_endpoints SET url = ?, secret = ? WHERE partner_id = ?')
          .run(url, secret, credential?.partnerId)
        return answer
      },
    ),
  }),
  defect('registration-that-is-refused-changes-the-secret', ['HOOK-06'], {
    summary: 'A registration without a url is refused, and its secret is kept.',
    ...answeringWhere(
      ({ status }, call) => call.endpoint === 'webhooks.put' && status === 400 && 'secret' in readable(call.body),
      (answer, { world, credential, body }) => {
        world?.db
          .prepare('UPDATE webhook_endpoints SET secret = ? WHERE partner_id = ?')
          .run(readable(body)['secret'], credential?.partnerId)
        return answer
      },
    ),
  }),
  defect('registration-shows-the-secret', ['HOOK-01'], {
    summary: 'The answer to a registration has the secret in it.',
    ...altering('webhooks.put', (_, input) => ({ secret: input.body['secret'] })),
  }),
  defect('second-registration-has-the-time-of-a-database', ['HOOK-01'], {
    summary: 'The answer to a further registration has its created_at as a database writes it.',
    ...handling('webhooks.put', (input, correct) => {
      const isFirst = endpointOf(input.world.db, input.caller.partnerId) === null
      const reply = correct(input)
      const { created_at: at, ...body } = reply.body as Fields
      return isFirst ? reply : { ...reply, body: { ...body, created_at: asDatabaseTime(at) } }
    }),
  }),
]
