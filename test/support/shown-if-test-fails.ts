import { onTestFailed, TestRunner } from 'vitest'

/** How many of the latest answers a failed test shows. */
const MOST_SHOWN = 8

const answersOf = new WeakMap<object, string[]>()

/**
 * Remembers an answer of the sandbox or of a command for the test that runs. If the test fails, its message ends with the
 * latest answers: an assertion about a status or a member does not say why the sandbox refused.
 *
 * @param answer one line: what was asked, the status, and the code and message of a refusal
 */
export function showIfTestFails(answer: string): void {
  const test = TestRunner.getCurrentTest()
  if (!test) return
  const known = answersOf.get(test)
  if (known) known.push(answer)
  else showLatest(test, [answer])
}

function showLatest(test: object, answers: string[]): void {
  answersOf.set(test, answers)
  onTestFailed(({ task }) => {
    const shown = answers.slice(-MOST_SHOWN).map((answer) => `  ${answer}\n`)
    for (const error of task.result?.errors ?? []) error.message += `\n\nlatest answers:\n${shown.join('')}`
  })
}
