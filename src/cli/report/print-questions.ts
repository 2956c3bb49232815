import { questionsOf } from '../../conformance/reporters/questions.ts'
import type { Session } from '../session.ts'
import { readLogFile } from './read-log-file.ts'

/** The open points with what each run saw, as Markdown. */
export function printQuestions(logs: readonly string[], session: Session): void {
  session.out(questionsOf(logs.map((log) => readLogFile(log).result)))
}
