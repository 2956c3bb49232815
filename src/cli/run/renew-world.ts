import type { Target } from '../../conformance/target.ts'
import { withOperator } from '../operator/with-operator.ts'

/** Takes the world of a sandbox of our own back to its start; its keys stay. */
export async function renewWorld({ operator }: Target): Promise<void> {
  if (!operator?.url) throw new Error('a sandbox of our own has an operator')
  const at = { url: operator.url, token: operator.token ?? undefined }
  const { world } = operator
  await withOperator(at, (client) => client.call('worlds.reset', { w: world }))
}
