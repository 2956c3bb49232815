import { endpointOf } from '../../../sandbox/webhooks/endpoints.ts'
import { created } from '../../../sandbox/wire/route.ts'
import { type Defect, defect } from '../defect.ts'
import { handling } from '../routes.ts'

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
]
