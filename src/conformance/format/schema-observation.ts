import { partial, string, withExamples } from '../../contract/schema.ts'

export const OBSERVATION = partial(
  'An open point and what is recorded of it.',
  {
    gap: withExamples(string('A requirement of level open.'), 'AUTH-17'),
    take: withExamples(string('outcome (default), status, code, count, or a role.'), 'outcome', 'status'),
    as: withExamples(
      string('Distinguishes several observations of one gap.', { pattern: '^[a-z][a-z0-9_.-]*$' }),
      'replay_detected',
    ),
  },
  { required: ['gap'] },
)
