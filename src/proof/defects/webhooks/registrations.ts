import { EMPTY_BODY_SHA256 } from '../../../contract/canonical-string.ts'
import { API_ROOT } from '../../../contract/endpoints/endpoint.ts'
import { ApiError } from '../../../contract/errors.ts'
import { canonicalStringOf } from '../../../sandbox/app/authenticate/check-signature.ts'
import { endpointOf } from '../../../sandbox/webhooks/store.ts'
import type { Call } from '../../../sandbox/wire/call.ts'
import { answeringWhere, type Fields, refusingWith, without } from '../answers.ts'
import type { Defect } from '../defect.ts'
import { handling, showing } from '../routes.ts'
import { expectsInstead, withLines } from './signing.ts'

/** Mistakes of registering a webhook: of the signature of the PUT, and of its answer. */
export const registrationDefects: readonly Defect[] = [
  {
    id: 'put-path-signed-with-version',
    breaks: ['AUTH-01', 'CANON-10'],
    summary: 'The registration of a webhook must be signed over a path with a version segment.',
    ...forPut((call) => withLines(call, { path: call.path.replace('/api/partner', API_ROOT) })),
  },
  {
    id: 'put-path-signed-below-the-root',
    breaks: ['AUTH-01', 'CANON-10'],
    summary: 'The registration of a webhook must be signed over its path below the API root.',
    ...forPut((call) => withLines(call, { path: call.path.replace('/api/partner', '') })),
  },
  {
    id: 'put-path-signed-with-a-slash',
    breaks: ['AUTH-01', 'CANON-10'],
    summary: 'The registration of a webhook must be signed over a path that ends in a slash.',
    ...forPut((call) => withLines(call, { path: `${call.path}/` })),
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
    id: 'webhook-path-takes-no-put',
    breaks: ['VER-01', 'HOOK-01'],
    summary: 'The path for registering a webhook refuses the verb PUT.',
    ...refusingWith((_, call) => call.endpoint === 'webhooks.put' && call.refusedBy === null, {
      status: 405,
      code: 'not_found',
    }),
  },
  {
    id: 'webhook-path-redirects',
    breaks: ['VER-01', 'HOOK-01'],
    summary: 'A registration is redirected to a path with a version segment.',
    ...answeringWhere(
      (answer, call) => call.endpoint === 'webhooks.put' && answer.status === 200,
      (answer) => ({ ...answer, status: 308, headers: { ...answer.headers, location: `${API_ROOT}/webhooks` } }),
    ),
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
    summary: 'The created_at of a registration is Unix time.',
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
]

function forPut(text: (call: Call) => string): Pick<Defect, 'hooks'> {
  return expectsInstead((call) => (call.method === 'PUT' ? text(call) : canonicalStringOf(call)))
}
