import { API_ROOT } from '../../../contract/endpoints/endpoint.ts'
import { canonicalStringOf } from '../../../sandbox/app/checks.ts'
import { endpointOf } from '../../../sandbox/webhooks/endpoints.ts'
import type { Call } from '../../../sandbox/wire/call.ts'
import { created } from '../../../sandbox/wire/route.ts'
import { refusingWith } from '../answers.ts'
import { type Defect, defect, type Tampered } from '../defect.ts'
import { altering, handling } from '../routes.ts'
import { expectsInstead, withLines } from '../signature/signing.ts'

/** Mistakes of registering a webhook: of the signature of the PUT, and of its answer. */
export const registrationDefects: readonly Defect[] = [
  defect('put-path-signed-with-version', ['AUTH-01', 'CANON-10'], {
    summary: 'The registration of a webhook must be signed over a path with a version segment.',
    ...forPut((call) => withLines(call, { path: call.path.replace('/api/partner', API_ROOT) })),
  }),
  defect('webhook-path-not-served', ['VER-01', 'HOOK-01'], {
    summary: 'The path for registering a webhook does not exist.',
    ...refusingWith((_, call) => call.endpoint === 'webhooks.put' && call.refusedBy === null, 404, 'not_found'),
  }),
  defect('first-registration-is-201', ['HOOK-01'], {
    summary: 'The first registration of a partner is answered 201.',
    ...handling('webhooks.put', (input, correct) => {
      const isFirst = endpointOf(input.world.db, input.caller.partnerId) === null
      const reply = correct(input)
      return isFirst ? created(reply.body) : reply
    }),
  }),
  defect('registration-shows-the-secret', ['HOOK-01'], {
    summary: 'The answer to a registration has the secret in it.',
    ...altering('webhooks.put', (_, input) => ({ secret: input.body['secret'] })),
  }),
]

function forPut(text: (call: Call) => string): Tampered {
  return expectsInstead((call) => (call.method === 'PUT' ? text(call) : canonicalStringOf(call)))
}
