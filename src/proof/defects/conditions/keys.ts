import type { EndpointId } from '../../../contract/endpoint-ids.ts'
import { type Defect, defect, perWorld, type Tampered } from '../defect.ts'
import { handling, keeping } from '../routes.ts'

/** Mistakes of a service that takes what one key of a partner has made for that key's own. */
export const keyDefects: readonly Defect[] = [
  defect('statements-are-for-the-key-of-the-orders', ['SET-02'], {
    summary: 'Statements are shown to a key that has recorded orders.',
    ...showingToMakers('orders.create', 'settlements.list', 'settlements'),
  }),
]

function showingToMakers(makes: EndpointId, list: EndpointId, name: string): Tampered {
  const makers = perWorld(() => new Set<string>())
  const shown = keeping(list, name, (_, { world, caller }) => makers(world).has(caller.keyId))
  const noted = handling(makes, (input, correct) => {
    makers(input.world).add(input.caller.keyId)
    return correct(input)
  })
  return { hooks: { routes: { ...shown.hooks?.routes, ...noted.hooks?.routes } } }
}
