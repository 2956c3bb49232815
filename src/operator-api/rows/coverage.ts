import { object, oneOf, optional } from '../../contract/schema.ts'
import { del, get, returns } from '../operation.ts'

/** What a client has used of the API so far (docs/testing.md). */
export interface Coverage {
  world: string
  seed: string
  version: string
  now: string
  since: string | null
  summary: {
    met: number
    of: number
    percent: number
    wrong: number
    /** Rows that are listed but not counted. */
    not_counted: number
    /** Whether the world has chosen open points otherwise, which may add rows or take them away. */
    own_choices: boolean
    sections: { id: string; title: string; met: number; of: number }[]
  }
  sections: { id: string; title: string; met: number; of: number; rows: CoverageRow[] }[]
}

interface MetTimes {
  count: number
  first_at: string | null
  last_at: string | null
}

export interface CoverageRow extends MetTimes {
  id: string
  title: string
  state: 'met' | 'partly' | 'wrong' | 'not_met' | 'not_counted'
  /** How often it happened, whether or not the client saw it; null where that is the same. */
  happened: MetTimes | null
  says: string | null
  /** A call of the request log to look at. */
  request_id: string | null
  /** How to use it; null if it was used. */
  hint: string | null
}

export const coverageRows = {
  'coverage.show': get('/v1/worlds/{w}/coverage', {
    summary:
      'Which parts of the API the clients of a world have used: a `summary` and `sections` of `rows`, each with its `state`, how often, when, and a `hint` how to cover it. With `format` html, one page to keep or send.',
    query: object({ format: optional(oneOf(['json', 'html'], 'JSON, or one page to keep or send.')) }),
    gives: 'text/html',
    returns: returns<Coverage>(),
  }),
  'coverage.reset': del('/v1/worlds/{w}/coverage', {
    summary: 'Resets the counts; orders, events and everything else stay as they are: 204.',
    command: {
      usage: 'coverage reset',
      summary: 'reset the counts; everything else in the world stays',
      shows: { done: 'coverage of {world} reset' },
    },
  }),
}
