import { anything, byType, flag, oneOf, partial, type Schema, string, withExamples } from '../../contract/schema.ts'
import { among, some, stepId, templates } from './values.ts'

const PLACE: Schema<number> = { json: { type: 'integer' } }

const ALTER = partial(
  'Asks for the page once for each character, changed.',
  {
    query: string('The parameter whose value is changed.', { pattern: '^[A-Za-z0-9_-]+$' }),
    at: byType('Which characters: each, or places from 0, from the end where negative. each where absent.', {
      string: among(['each']),
      array: some(PLACE),
    }),
    how: oneOf(['other', 'case'], 'Another character of its kind (default), or the same letter in the other case.'),
  },
  { required: ['query'] },
)

export const PAGE = partial(
  'A page.',
  {
    url: string('Address of the page.'),
    follow: flag("Follows redirects within the page's origin; true where absent."),
    cookies: oneOf(
      ['keep', 'fresh'],
      'keep (default): the one browser of the scenario. fresh: another one from here on.',
    ),
    alter: ALTER,
  },
  { required: ['url'] },
)

export const OPEN = byType('Opens a page as a browser does, without any header of ours.', {
  string: anything<string>(),
  object: PAGE,
})

export const SUBMIT = partial(
  'Presses a button of a page that was opened.',
  {
    button: withExamples(string('pay, cancel, decline, or words that are on it.', { minLength: 1 }), 'pay'),
    page: withExamples(stepId('The step whose page it is; the latest where absent.'), 'page'),
    fill: withExamples(templates('email, name, country, or fields by their own name.'), { email: 'jo@buyer.example' }),
    alter: withExamples(ALTER, { query: 'pt', at: [0, 5, -1] }),
  },
  { required: ['button'] },
)
