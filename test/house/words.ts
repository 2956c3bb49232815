/** A way of saying something that texts for people avoid, and what they say instead. */
interface WordRow {
  readonly not: RegExp
  readonly but: string
}

/** Habits of sentences. */
const PHRASES: readonly WordRow[] = [
  { not: /(?<!\bthere )\b(?:is|are|was|were) no (?!longer\b|more\b)[a-z]+/i, but: 'is not a' },
  { not: /\banew\b|\bonce more\b/i, but: 'again' },
  { not: /\btold\b|\btells?\b|\btelling\b/i, but: 'return, report, notify, print, show' },
  {
    not: /\bnobody\b|\bsomebody\b|\banybody\b|\bwhoever\b|\bwhosever\b/i,
    but: 'name the actor: you, the sandbox, the target',
  },
  { not: /\bwhere there is none\b|\bwhere there are none\b/i, but: 'if there is none' },
  { not: /\bas you like\b/i, but: 'say what the choices are' },
  { not: /\bhow-manieth\b/i, but: 'attempt number' },
  { not: /\bdue things?\b/i, but: 'scheduled task' },
  { not: /\bunkind\b/i, but: 'flaky' },
  { not: /\bchoose otherwise\b|\bdecided otherwise\b/i, but: 'differ, non-default' },
  { not: /\bhas been met\b|\bhave been met\b|\bhas met\b/i, but: 'covered' },
  { not: /\breferee\b/i, but: 'runner' },
  { not: /\bso long at most\b/i, but: 'at most this long' },
  { not: /\bat this path with this verb\b/i, but: 'no such endpoint' },
  { not: /\bas usual then\b/i, but: 'omitted options use their defaults' },
]

/** Old names of things, and the name that they have now. */
const NAMES: readonly WordRow[] = [
  { not: /\bcampaigns?\b/i, but: 'run' },
  { not: /\bmishaps?\b/i, but: 'fault' },
  { not: /\bdegenerates?\b/i, but: 'bad server' },
  { not: /\bfreedoms?\b/i, but: 'gap variation' },
  { not: /\bspoilers?\b|\bmischief\b/i, but: 'tampering proxy, bad response' },
  { not: /\bcast of a world\b/i, but: 'credentials' },
  { not: /\bspoken schema\b|\bspeech\b/i, but: 'wire names' },
  { not: /\blasting refusal\b/i, but: 'refusal with effect' },
  { not: /\bside[- ]worlds?\b/i, but: 'world fork' },
  { not: /\bnow and then\b/i, but: 'intermittent' },
]

/** What texts for people avoid: README, docs, CONTRIBUTING, and comments and messages of the code. */
const WORDS: readonly WordRow[] = [...PHRASES, ...NAMES]

/** What a text says that it should not, each with what to say instead. */
export function avoidedIn(text: string): string[] {
  return WORDS.flatMap(({ not, but }) => {
    const [words] = not.exec(text) ?? []
    return words === undefined ? [] : [`"${words}": ${but}`]
  })
}
