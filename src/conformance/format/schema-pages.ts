import { byType, namedValues, object, oneOf, type Schema, text, yesOrNo } from './schema-parts.ts'

const STEP_ID = { type: 'string', pattern: '^[a-z][a-z0-9_]*$' }

const ALTER = object(
  'Asks for the page once for each character, changed.',
  {
    query: text('The parameter whose value is changed.', { pattern: '^[A-Za-z0-9_-]+$' }),
    at: byType('Which characters: each, or places from 0, from the end where negative. each where absent.', {
      string: { enum: ['each'] },
      array: { items: { type: 'integer' }, minItems: 1 },
    }),
    how: oneOf('Another character of its kind (default), or the same letter in the other case.', ['other', 'case']),
  },
  ['query'],
)

const OPEN_KEYS: Record<string, Schema> = {
  url: text('Address of the page.'),
  follow: yesOrNo("Follows redirects within the page's origin; true where absent."),
  cookies: oneOf('keep (default): the one browser of the scenario. fresh: another one from here on.', [
    'keep',
    'fresh',
  ]),
  alter: ALTER,
}

export const OPEN = byType('Opens a page as a browser does, without any header of ours.', {
  string: {},
  object: object('A page.', OPEN_KEYS, ['url']),
})

export const SUBMIT = object(
  'Presses a button of a page that was opened.',
  {
    button: text('pay, cancel, decline, or words that stand on it.', { minLength: 1 }),
    page: text('The step whose page it is; the latest where absent.', STEP_ID),
    fill: namedValues('email, name, country, or fields by their own name.'),
    alter: ALTER,
  },
  ['button'],
)

export const RUNNING = object(
  'A running sum of the items.',
  {
    of: text('Role of what is added up.'),
    is: text('Role of the sum so far.'),
    by: text('Role of the kind of a line, where signs may follow from it.'),
  },
  ['of', 'is'],
)
