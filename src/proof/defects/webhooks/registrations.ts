import { EMPTY_BODY_SHA256 } from '../../../contract/canonical-string.ts'
import { API_ROOT } from '../../../contract/endpoints/endpoint.ts'
import { canonicalStringOf } from '../../../sandbox/app/checks.ts'
import { endpointOf } from '../../../sandbox/webhooks/store.ts'
import type { Call } from '../../../sandbox/wire/call.ts'
import { answeringWhere, type Fields, refusingWith } from '../answers.ts'
import { type Defect, defect, type Tampered } from '../defect.ts'
import { type AnyInput, altering, handling, lacking, refusing } from '../routes.ts'
import { expectsInstead, withLines } from '../signature/signing.ts'

/** Mistakes of registering a webhook: of the signature of the PUT, and of its answer. */
export const registrationDefects: readonly Defect[] = [
  defect('put-path-signed-with-version', ['AUTH-01', 'CANON-10'], {
    summary: 'The registration of a webhook must be signed over a path with a version segment.',
    ...forPut((call) => withLines(call, { path: call.path.replace('/api/partner', API_ROOT) })),
  }),
  defect('put-path-signed-below-the-root', ['AUTH-01', 'CANON-10'], {
    summary: 'The registration of a webhook must be signed over its path below the API root.',
    ...forPut((call) => withLines(call, { path: call.path.replace('/api/partner', '') })),
  }),
  defect('put-signed-without-its-body', ['AUTH-01'], {
    summary: 'The body of a PUT counts as empty in the canonical string.',
    ...forPut((call) => withLines(call, { bodySha256: EMPTY_BODY_SHA256 })),
  }),
  defect('webhook-path-not-served', ['VER-01', 'HOOK-01'], {
    summary: 'The path for registering a webhook does not exist.',
    ...refusingWith((_, call) => call.endpoint === 'webhooks.put' && call.refusedBy === null, 404, 'not_found'),
  }),
  defect('registration-is-201', ['HOOK-01'], {
    summary: 'A registration is answered 201.',
    ...answeringWhere(
      (answer, call) => call.endpoint === 'webhooks.put' && answer.status === 200,
      (answer) => ({ ...answer, status: 201 }),
    ),
  }),
  defect('registration-shows-the-secret', ['HOOK-01'], {
    summary: 'The answer to a registration has the secret in it.',
    ...altering('webhooks.put', (_, input) => ({ secret: input.body['secret'] })),
  }),
  defect('registration-shows-the-former-secret', ['HOOK-01'], {
    summary: 'The answer to a replacement has the secret in it that was replaced.',
    ...showingFormer((former) => ({ replaced: former?.secret ?? null })),
  }),
  ...(['url', 'active', 'created_at'] as const).map((field) =>
    defect(`registration-without-${field.replace('_', '-')}`, ['HOOK-01'], {
      summary: `The answer to a registration has no ${field}.`,
      ...lacking('webhooks.put', field),
    }),
  ),
  defect('registration-cannot-be-replaced', ['HOOK-01'], {
    summary: 'A second registration is refused with conflict.',
    ...refusing('webhooks.put', (input) => Boolean(formerOf(input)), 'conflict', 'there is a webhook already'),
  }),
  defect('registration-shows-the-former-url', ['HOOK-01'], {
    summary: 'The answer to a replacement shows the url that was replaced.',
    ...showingFormer((former) => (former ? { url: former.url } : {})),
  }),
]

type Former = ReturnType<typeof endpointOf>

function formerOf({ world, caller }: AnyInput): Former {
  return endpointOf(world.db, caller.partnerId)
}

/** A server whose answer to a registration contains part of the one before. */
function showingFormer(shown: (former: Former) => Fields): Tampered {
  return handling('webhooks.put', (input, correct) => {
    const former = formerOf(input)
    const reply = correct(input)
    return { ...reply, body: { ...(reply.body as Fields), ...shown(former) } }
  })
}

function forPut(text: (call: Call) => string): Tampered {
  return expectsInstead((call) => (call.method === 'PUT' ? text(call) : canonicalStringOf(call)))
}
