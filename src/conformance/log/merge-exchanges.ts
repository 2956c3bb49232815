import { EXCHANGE_ID } from '../http/exchange.ts'
import type { CheckResult, RedactedExchange, RunResult } from '../result/result.ts'

/** The calls of several runs under ids that no two of them share. */
export interface Exchanges {
  readonly all: RedactedExchange[]
  /** A check of one of the runs, naming its call by the id that it has now. */
  renamed(run: number, check: CheckResult): CheckResult
}

/** Every run counts its calls from one: those of the later runs get the number of their run in front where it takes that. */
export function mergeExchanges(results: readonly RunResult[]): Exchanges {
  const taken = new Map<string, string>()
  const names = results.map((result, run) => namesOf(result, run, taken))
  const all = new Map<string, RedactedExchange>()
  for (const [run, { exchanges }] of results.entries()) {
    for (const exchange of exchanges) {
      const id = names[run]?.get(exchange.id) ?? exchange.id
      all.set(id, id === exchange.id ? exchange : { ...exchange, id })
    }
  }
  return {
    all: [...all.values()],
    renamed(run, check) {
      const own = names[run] ?? new Map<string, string>()
      const { exchange, twin, note } = check
      return {
        ...check,
        exchange: exchange === null ? null : (own.get(exchange) ?? exchange),
        ...(twin === undefined ? {} : { twin: inWords(twin, own) }),
        ...(note === undefined ? {} : { note: inWords(note, own) }),
      }
    },
  }
}

/** Sentences name calls too: "a sound call was accepted in ce2". */
function inWords(sentence: string, names: ReadonlyMap<string, string>): string {
  return sentence.replaceAll(EXCHANGE_ID, (word) => names.get(word) ?? word)
}

/** What each id of a run, also one that only a check names, is called among all; notes down what is taken. */
function namesOf(result: RunResult, run: number, taken: Map<string, string>): Map<string, string> {
  const names = new Map<string, string>()
  const contents = new Map(result.exchanges.map((exchange) => [exchange.id, JSON.stringify(exchange)]))
  const checks = result.scenarios.flatMap((scenario) => scenario.checks)
  const named = checks.flatMap(({ exchange }) => (exchange === null ? [] : [exchange]))
  for (const id of new Set([...contents.keys(), ...named])) {
    // A call that is not in the log gets a name of its own.
    const content = contents.get(id) ?? `not in run ${run + 1}`
    let name = id
    for (let prefix = run + 1; taken.has(name) && taken.get(name) !== content; prefix += 1) name = `r${prefix}${id}`
    taken.set(name, content)
    names.set(id, name)
  }
  return names
}
