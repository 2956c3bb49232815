import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { SKILL_FILE } from '../../package-files.ts'
import { saveText } from '../files.ts'
import type { Session } from '../session.ts'

/** Agents look for a skill in a folder of its name. */
const PLACE = 'partner-sandbox/SKILL.md'

export function configure(command: Command, session: Session): void {
  command
    .option('--out <dir>', `folder of skills; writes ${PLACE} there instead of printing it`)
    .addHelpText(
      'after',
      '\nThe skill shows a coding agent how to start the sandbox, sign calls, read a refusal, move orders and the clock, and\njudge a server. Your agent says which folder it reads, for example .agents/skills.',
    )
    .action(({ out }: { out?: string }) => {
      const text = readFileSync(SKILL_FILE, 'utf8')
      if (out === undefined) return session.out(text)
      const file = join(out, PLACE)
      saveText(file, '--out', text)
      session.err(`wrote ${file}\n`)
    })
}
