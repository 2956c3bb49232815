import { EMPTY_BODY_SHA256 } from '../contract/canonical-string.ts'
import { API_ROOT } from '../contract/endpoints.ts'
import { ApiError } from '../contract/errors.ts'
import { signWebhook } from '../contract/webhook-signature.ts'
import { canonicalStringOf } from '../sandbox/http/authenticate/check-signature.ts'
import type { Call } from '../sandbox/http/call.ts'
import { endpointOf } from '../sandbox/webhooks/store.ts'
import type { World } from '../sandbox/world.ts'
import { answeringWhere, type Fields, refusingWith, without } from './answers.ts'
import { changing, type Defect } from './defect.ts'
import { type AnyInput, handling, itemsOf, showing } from './routes.ts'
import { sending } from './sending.ts'
import { expectsInstead, withLines } from './signing.ts'

/** Mistakes of registering a webhook, of replacing it, and of what becomes of deliveries. */
export const webhookDefects: readonly Defect[] = [
  {
    id: 'put-path-signed-with-version',
    breaks: ['AUTH-01', 'CANON-10'],
    summary: 'The registration of a webhook must be signed over a path with a version segment.',
    ...forPut((call) => withLines(call, { path: call.path.replace('/api/partner', API_ROOT) })),
  },
  {
    id: 'put-signed-without-its-body',
    breaks: ['AUTH-01'],
    summary: 'The body of a PUT counts as empty in the canonical string.',
    ...forPut((call) => withLines(call, { bodySha256: EMPTY_BODY_SHA256 })),
  },
  {
    id: 'put-signed-as-post',
    breaks: ['AUTH-01'],
    summary: 'A PUT must be signed with the verb POST.',
    ...forPut((call) => withLines(call, { method: 'POST' })),
  },
  {
    id: 'webhook-path-not-served',
    breaks: ['VER-01', 'HOOK-01'],
    summary: 'There is nothing at the path for registering a webhook.',
    ...refusingWith((_, call) => call.endpoint === 'webhooks.put' && call.refusedBy === null, {
      status: 404,
      code: 'not_found',
    }),
  },
  {
    id: 'registration-is-201',
    breaks: ['HOOK-01'],
    summary: 'A registration is answered 201.',
    ...answeringWhere(
      (answer, call) => call.endpoint === 'webhooks.put' && answer.status === 200,
      (answer) => ({ ...answer, status: 201 }),
    ),
  },
  {
    id: 'registration-shows-the-secret',
    breaks: ['HOOK-01'],
    summary: 'The answer to a registration has the secret in it.',
    ...showing('webhooks.put', (body, input) => ({ ...body, secret: input.body['secret'] })),
  },
  {
    id: 'registration-shows-the-former-secret',
    breaks: ['HOOK-01'],
    summary: 'The answer to a replacement has the secret in it that was replaced.',
    ...handling('webhooks.put', (input, sound) => {
      const former = endpointOf(input.world.db, input.caller.partnerId)?.secret
      const reply = sound(input)
      return { ...reply, body: { ...(reply.body as Fields), replaced: former ?? null } }
    }),
  },
  ...(['url', 'active', 'created_at'] as const).map(
    (field): Defect => ({
      id: `registration-without-${field.replace('_', '-')}`,
      breaks: ['HOOK-01'],
      summary: `The answer to a registration has no ${field}.`,
      ...showing('webhooks.put', (body) => without(body, field)),
    }),
  ),
  {
    id: 'registration-time-in-seconds',
    breaks: ['HOOK-01'],
    summary: 'created_at of a registration is Unix time.',
    ...showing('webhooks.put', (body) => ({
      ...body,
      created_at: Math.floor(Date.parse(String(body['created_at'])) / 1_000),
    })),
  },
  {
    id: 'registration-cannot-be-replaced',
    breaks: ['HOOK-01'],
    summary: 'A second registration is refused with conflict.',
    ...handling('webhooks.put', (input, sound) => {
      const { world, caller } = input
      if (endpointOf(world.db, caller.partnerId)) throw new ApiError('conflict', 'there is a webhook already')
      return sound(input)
    }),
  },
  {
    id: 'registration-shows-the-former-url',
    breaks: ['HOOK-01'],
    summary: 'The answer to a replacement shows the url that was replaced.',
    ...handling('webhooks.put', (input, sound) => {
      const former = endpointOf(input.world.db, input.caller.partnerId)?.url
      const reply = sound(input)
      return { ...reply, body: { ...(reply.body as Fields), ...(former !== undefined && { url: former }) } }
    }),
  },
  allowing('10-s', 10_000, 'ten seconds'),
  allowing('30-s', 30_000, 'half a minute'),
  allowing('all-time', 600_000, 'as long as they like'),
  {
    id: 'failed-delivery-loses-the-event',
    breaks: ['HOOK-05', 'EVT-03'],
    summary: 'An event whose delivery failed is no longer in the history.',
    ...sending(async ({ sound, delivery, world }, send) => {
      const result = await send(sound)
      if (result.failure !== null) forget(world, delivery.eventSeq)
      return result
    }),
  },
  {
    id: 'hung-up-delivery-loses-the-event',
    breaks: ['HOOK-05', 'EVT-03'],
    summary: 'An event whose delivery was not answered at all is no longer in the history.',
    ...sending(async ({ sound, delivery, world }, send) => {
      const result = await send(sound)
      if (result.status === null) forget(world, delivery.eventSeq)
      return result
    }),
  },
  historyOf('history-waits-for-delivery', ['HOOK-05', 'EVT-03'], 'Events are in the history once they are delivered.', {
    hidden: ['pending', 'failed'],
  }),
  historyOf('history-is-for-the-undelivered', ['EVT-03', 'HOOK-10'], 'Events that were delivered leave the history.', {
    hidden: ['delivered'],
  }),
  historyOf('history-needs-a-webhook', ['EVT-03'], 'Nothing is in the history that no webhook was registered for.', {
    hidden: ['none'],
  }),
  lacking('settlement', 'settled'),
  lacking('review', 'manual_review_cleared'),
  lacking('deal', 'case_completed'),
  {
    id: 'replaced-url-is-still-used',
    breaks: ['HOOK-06'],
    summary: 'A replacement changes the secret and leaves the url.',
    ...changing('webhooks', { replaces: ['secret'] }),
  },
  {
    id: 'replaced-secret-is-still-used',
    breaks: ['HOOK-06'],
    summary: 'A replacement changes the url and leaves the secret.',
    ...changing('webhooks', { replaces: ['url'] }),
  },
  {
    id: 'replacement-changes-nothing',
    breaks: ['HOOK-06'],
    summary: 'A replacement is confirmed and has no effect.',
    ...changing('webhooks', { replaces: [] }),
  },
  secretCachedByUrl(),
  formerUrlToldToo(),
  {
    id: 'webhooks-tell-everyone',
    breaks: ['EVT-02'],
    summary: 'Events are delivered to the webhooks of all partners.',
    ...changing('webhooks', { tells: 'everyone' }),
  },
]

function forPut(text: (call: Call) => string): Pick<Defect, 'tampering'> {
  return expectsInstead((call) => (call.method === 'PUT' ? text(call) : canonicalStringOf(call)))
}

function allowing(name: string, deadlineMs: number, words: string): Defect {
  return {
    id: `receiver-may-take-${name}`,
    breaks: ['HOOK-04'],
    summary: `Receivers may take ${words}.`,
    ...changing('webhooks', { deadlineMs }),
  }
}

/** The delivery keeps its place; only the history forgets whose event it was. */
function forget({ db }: World, eventSeq: number): void {
  db.prepare("UPDATE events SET partner_id = 'ptr_forgotten' WHERE seq = ?").run(eventSeq)
}

function historyOf(
  id: string,
  breaks: Defect['breaks'],
  summary: string,
  { hidden }: { hidden: readonly string[] },
): Defect {
  return {
    id,
    breaks,
    summary,
    ...withEvents((event, { world }) => !hidden.includes(stateOf(world, String(event['id'])))),
  }
}

function lacking(about: string, word: string): Defect {
  return {
    id: `history-lacks-${about}s`,
    breaks: ['EVT-03'],
    summary: `Events about a ${about} are delivered, but are not in the history.`,
    ...withEvents((event) => !String(event['type']).includes(word)),
  }
}

function withEvents(stays: (event: Fields, input: AnyInput) => boolean): Pick<Defect, 'tampering'> {
  return showing('events.list', (body, input) => ({
    ...body,
    events: itemsOf(body, 'events').filter((event) => stays(event, input)),
  }))
}

/** Where the delivery of an event stands; `none` where there never was one. */
function stateOf({ db }: World, eventId: string): string {
  const sql = 'SELECT state FROM deliveries JOIN events ON events.seq = deliveries.event_seq WHERE events.id = ?'
  const row = db.prepare(sql).get(eventId) as { state: string } | undefined
  return row?.state ?? 'none'
}

/** The secret is read once for each address, and kept. */
function secretCachedByUrl(): Defect {
  const cached = new WeakMap<World, Map<string, string>>()
  return {
    id: 'secret-is-cached-by-url',
    breaks: ['HOOK-06'],
    summary: 'The first secret that was used for a url is used for ever.',
    ...sending(({ sound, world, secret }, send) => {
      const secrets = cached.get(world) ?? new Map<string, string>()
      cached.set(world, secrets)
      const used = secrets.get(sound.url) ?? secret
      secrets.set(sound.url, used)
      return send({ ...sound, signature: signWebhook(used, sound.body) })
    }),
  }
}

/** A registration adds an endpoint where it should replace one. */
function formerUrlToldToo(): Defect {
  const former = new WeakMap<World, string[]>()
  const told = sending(async ({ sound, world }, send) => {
    const urls = (former.get(world) ?? []).filter((url) => url !== sound.url)
    await Promise.all(urls.map((url) => send({ ...sound, url })))
    return send(sound)
  })
  const kept = handling('webhooks.put', (input, sound) => {
    const reply = sound(input)
    former.set(input.world, [...(former.get(input.world) ?? []), String(input.body['url'])])
    return reply
  })
  return {
    id: 'replaced-url-is-told-too',
    breaks: ['HOOK-06'],
    summary: 'After a replacement events are delivered to the former url as well.',
    tampering: { ...told.tampering, ...kept.tampering },
  }
}
