import type { AttemptResult, Delivery } from '../../../sandbox/webhooks/delivery.ts'
import { allEndpoints, endpointOf, upsertEndpoint } from '../../../sandbox/webhooks/endpoints.ts'
import type { Fields } from '../answers.ts'
import { changing, type Defect, defect, perWorld, type Tampered } from '../defect.ts'
import { altering, handling, handlingAfter } from '../routes.ts'
import { sending } from './sending.ts'

/** Mistakes in registering and replacing a webhook, in the fate of deliveries, and in what the history keeps of them. */
export const webhookDefects: readonly Defect[] = [
  defect('receiver-may-take-10-s', ['HOOK-04'], {
    summary: 'Receivers may take ten seconds.',
    ...changing('webhooks', { deadlineMs: 10_000 }),
  }),
  defect('receiver-may-take-1-s', ['HOOK-04'], {
    summary: 'Receivers may take one second.',
    ...changing('webhooks', { deadlineMs: 1_000 }),
  }),
  defect('failed-delivery-loses-the-event', ['HOOK-05', 'EVT-03'], {
    summary: 'An event whose delivery failed is no longer in the history.',
    ...losingEvents(({ failure }) => failure !== null),
  }),
  defect('twice-failed-delivery-loses-the-event', ['HOOK-05'], {
    summary: 'An event whose delivery has failed for the second time is no longer in the history.',
    ...losingEvents(({ failure }, { attempts }) => failure !== null && attempts > 0),
  }),
  defect('replaced-url-is-still-used', ['HOOK-06'], {
    summary: 'A replacement changes the secret and leaves the url.',
    ...keepingFormer('url'),
  }),
  defect('one-webhook-for-all-partners', ['HOOK-06'], {
    summary: 'The registration of one partner replaces that of another one.',
    ...handlingAfter('webhooks.put', ({ world, caller }) => {
      const latest = endpointOf(world.db, caller.partnerId)
      const others = allEndpoints(world.db).filter(({ partnerId }) => partnerId !== caller.partnerId)
      for (const other of others) if (latest) upsertEndpoint(world.db, { ...other, url: latest.url })
    }),
  }),
  formerUrlToldToo(),
  defect('same-registration-ends-it', ['HOOK-02'], {
    summary: 'What is registered already, with address and secret, is deleted when it is registered again.',
    ...handling('webhooks.put', (input, correct) => {
      const { world, caller, body } = input
      const before = endpointOf(world.db, caller.partnerId)
      const reply = correct(input)
      if (before?.url === body['url'] && before?.secret === body['secret'])
        world.db.prepare('DELETE FROM webhook_endpoints WHERE partner_id = ?').run(caller.partnerId)
      return reply
    }),
  }),
  defect('registrations-answered-with-a-slash', ['HOOK-01'], {
    summary: 'The answer to a registration has the address with a slash at its end.',
    ...altering('webhooks.put', ({ url }) => ({ url: `${String(url)}/` })),
  }),
  defect('registrations-of-a-known-address-tell-the-secret', ['HOOK-01'], {
    summary: 'The answer to a registration that changes the secret of its address shows the new one.',
    ...handling('webhooks.put', (input, correct) => {
      const former = endpointOf(input.world.db, input.caller.partnerId)
      const reply = correct(input)
      const { url, secret } = input.body
      const isRotated = former?.url === url && former?.secret !== secret
      return isRotated ? { ...reply, body: { ...(reply.body as Fields), signing: { secret } } } : reply
    }),
  }),
]

/** A server on which a replacement leaves the address or the secret as it was. */
function keepingFormer(member: 'url' | 'secret'): Tampered {
  return handling('webhooks.put', (input, correct) => {
    const { world, caller } = input
    const former = endpointOf(world.db, caller.partnerId)
    const reply = correct(input)
    const latest = endpointOf(world.db, caller.partnerId)
    if (former && latest) upsertEndpoint(world.db, { ...latest, [member]: former[member] })
    return reply
  })
}

/** The delivery keeps its place; only the history forgets whose event it was. */
function losingEvents(isLost: (result: AttemptResult, delivery: Delivery) => boolean): Tampered {
  return sending(async ({ correct, delivery, world }, send) => {
    const result = await send(correct)
    if (isLost(result, delivery)) {
      world.db.prepare("UPDATE events SET partner_id = 'ptr_forgotten' WHERE seq = ?").run(delivery.eventSeq)
    }
    return result
  })
}

/** A registration adds an endpoint and should replace one. */
function formerUrlToldToo(): Defect {
  const former = perWorld((): string[] => [])
  const toFormer = sending(async ({ correct, world }, send) => {
    const urls = former(world).filter((url) => url !== correct.url)
    await Promise.all(urls.map((url) => send({ ...correct, url })))
    return send(correct)
  })
  const kept = handling('webhooks.put', (input, correct) => {
    const reply = correct(input)
    former(input.world).push(String(input.body['url']))
    return reply
  })
  return defect('replaced-url-is-told-too', ['HOOK-06'], {
    summary: 'After a replacement, events are also delivered to the former url.',
    hooks: { ...toFormer.hooks, ...kept.hooks },
  })
}
