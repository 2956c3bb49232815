import type { AttemptResult, Delivery } from '../../../sandbox/webhooks/delivery.ts'
import { allEndpoints, endpointOf, upsertEndpoint } from '../../../sandbox/webhooks/endpoints.ts'
import type { Fields } from '../answers.ts'
import { both, change, changing, type Defect, defect, perWorld, type Tampered } from '../defect.ts'
import { type AnyInput, altering, handling, handlingAfter } from '../routes.ts'
import { sending } from './sending.ts'

/** Mistakes in registering and replacing a webhook, in the fate of deliveries, and in what the history keeps of them. */
export const webhookDefects: readonly Defect[] = [
  defect('registrations-answered-with-a-slash', ['HOOK-01'], {
    summary: 'The answer to a registration has the address with a slash at its end.',
    ...altering('webhooks.put', ({ url }) => ({ url: `${String(url)}/` })),
  }),
  defect('registrations-of-a-known-address-tell-the-secret', ['HOOK-01'], {
    summary: 'The answer to a registration that changes the secret of its address shows the new one.',
    ...registering((former, { body: { url, secret } }) =>
      former?.url === url && former?.secret !== secret ? { signing: { secret } } : undefined,
    ),
  }),
  defect('same-registration-ends-it', ['HOOK-02'], {
    summary: 'What is registered already, with address and secret, is deleted when it is registered again.',
    ...registering((former, { world, body }) => {
      if (former && former.url === body['url'] && former.secret === body['secret'])
        change(world, 'DELETE FROM webhook_endpoints WHERE partner_id = ?', former.partnerId)
    }),
  }),
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
    ...registering((former, { world }) => {
      const latest = former && endpointOf(world.db, former.partnerId)
      if (latest) upsertEndpoint(world.db, { ...latest, url: former.url })
    }),
  }),
  defect('one-webhook-for-all-partners', ['HOOK-06'], {
    summary: 'The registration of one partner replaces that of another one.',
    ...handlingAfter('webhooks.put', ({ world, caller }) => {
      const latest = endpointOf(world.db, caller.partnerId)
      const others = allEndpoints(world.db).filter(({ partnerId }) => partnerId !== caller.partnerId)
      for (const other of others) if (latest) upsertEndpoint(world.db, { ...other, url: latest.url })
    }),
  }),
  defect('replaced-url-is-told-too', ['HOOK-06'], {
    summary: 'After a replacement, events are also delivered to the former url.',
    ...tellingFormerUrlToo(),
  }),
]

/** A server that does more at a registration, with what was registered before; `act` may give fields to answer. */
function registering(act: (former: ReturnType<typeof endpointOf>, input: AnyInput) => unknown): Tampered {
  return handling('webhooks.put', (input, correct) => {
    const former = endpointOf(input.world.db, input.caller.partnerId)
    const reply = correct(input)
    return { ...reply, body: { ...(reply.body as Fields), ...(act(former, input) as Fields | undefined) } }
  })
}

/** The delivery keeps its place; only the history forgets whose event it was. */
function losingEvents(isLost: (result: AttemptResult, delivery: Delivery) => boolean): Tampered {
  return sending(async ({ correct, delivery, world }, send) => {
    const result = await send(correct)
    if (isLost(result, delivery))
      change(world, "UPDATE events SET partner_id = 'ptr_forgotten' WHERE seq = ?", delivery.eventSeq)
    return result
  })
}

/** A registration adds an endpoint and should replace one. */
function tellingFormerUrlToo(): Tampered {
  const former = perWorld((): string[] => [])
  const toFormer = sending(async ({ correct, world }, send) => {
    const urls = former(world).filter((url) => url !== correct.url)
    await Promise.all(urls.map((url) => send({ ...correct, url })))
    return send(correct)
  })
  return both(
    toFormer,
    handlingAfter('webhooks.put', ({ world, body }) => former(world).push(String(body['url']))),
  )
}
