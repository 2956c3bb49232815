import type { Diagnosis } from './rows/requests.ts'

/**
 * A diagnosis in a few lines: the sentence, each value that was sent beside the one that was expected, and what to do.
 *
 * @example refusalLines(diagnosis)[1] // 'expected_price: sent 100 USD cents, expected 200 USD cents'
 */
export function refusalLines({
  sentence,
  compared,
  help,
}: Pick<Diagnosis, 'sentence' | 'compared' | 'help'>): string[] {
  return [
    sentence,
    ...compared.map(
      ({ name, sent, expected }) => `${name}: sent ${sent ?? 'nothing'}, expected ${expected ?? 'nothing'}`,
    ),
    ...help.map(({ says, command }) => (command === null ? says : `${says.replace(/\.$/, '')}: ${command}`)),
  ]
}
