import { signWebhook } from '../../../contract/webhook-signature.ts'
import type { World } from '../../../sandbox/kernel/world.ts'
import type { Fields } from '../answers.ts'
import { changing, type Defect } from '../defect.ts'
import { type AnyInput, handling, itemsOf, showing } from '../routes.ts'
import { sending } from './sending.ts'

/** Mistakes of replacing a webhook, of what becomes of deliveries, and of what the history keeps of them. */
export const webhookDefects: readonly Defect[] = [
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
    id: 'twice-failed-delivery-loses-the-event',
    breaks: ['HOOK-05'],
    summary: 'An event whose delivery has failed for the second time is no longer in the history.',
    ...sending(async ({ sound, delivery, world }, send) => {
      const result = await send(sound)
      if (result.failure !== null && delivery.attempts > 0) forget(world, delivery.eventSeq)
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

function withEvents(stays: (event: Fields, input: AnyInput) => boolean): Pick<Defect, 'hooks'> {
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
    hooks: { ...told.hooks, ...kept.hooks },
  }
}
