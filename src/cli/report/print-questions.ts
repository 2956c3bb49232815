import { questionsOf } from '../../conformance/reporters/questions.ts'
import type { Session } from '../operator/session.ts'
import { readRegistry } from '../read-registry.ts'
import { readLogFile } from './read-log-file.ts'

/** The open points with what each run saw, as Markdown. */
export function printQuestions(logs: readonly string[], session: Session): void {
  const runs = logs.map((log) => readLogFile(log).result)
  session.out(questionsOf(runs, readRegistry().conflicts))
}
