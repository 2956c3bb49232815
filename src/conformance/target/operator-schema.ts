import { anything, partial, record, string, type TypeOf, withExamples } from '../../contract/schema.ts'
import { OPERATOR_ACTIONS } from '../format/operator-actions.ts'

/** An address, or one that the environment has. */
export const HTTP_ADDRESS = { pattern: '^(https?://|\\$\\{env:)' }

/** One request of an action, with everything that fills it in. */
function operatorRequest(name: string, { about, fills }: { about: string; fills: readonly string[] }) {
  const request = `POST https://staging.example.test/ops/${name}`
  const json = Object.fromEntries(fills.map((fill) => [fill, `\${${fill}}`]))
  const schema = partial(
    `${about}; fills in ${fills.map((fill) => `\${${fill}}`).join(', ')}`,
    {
      request: withExamples(
        string('Verb and address: POST https://...', { pattern: '^(GET|POST|PUT|PATCH|DELETE) https?://' }),
        request,
      ),
      headers: withExamples(record('Headers.', { values: string() }), {
        authorization: 'Bearer ${env:OPERATOR_TOKEN}',
      }),
      json: withExamples(anything('Body.'), json),
    },
    { required: ['request'] },
  )
  return withExamples(schema, { request, json })
}

export type RawRequest = TypeOf<ReturnType<typeof operatorRequest>>

const ACTIONS = Object.entries(OPERATOR_ACTIONS).map(([name, row]) => [name, operatorRequest(name, row)] as const)

export const OPERATOR = partial('How to move what the staff of the service would move.', {
  url: withExamples(string('Operator address of a running sandbox.', HTTP_ADDRESS), 'http://127.0.0.1:4601'),
  token: withExamples(string('Its bearer token.'), '${env:OPERATOR_TOKEN}'),
  world: withExamples(string('Its world; default where absent.'), 'default'),
  actions: withExamples(
    partial(
      'One request an action, for any other target. ${...} is filled in with its arguments.',
      Object.fromEntries(ACTIONS),
    ),
    { payout: { request: 'POST https://staging.example.test/ops/payout' } },
  ),
})
