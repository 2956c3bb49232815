import type { Command } from 'commander'
import { makeOperatorCommand } from '../operator/operator-command.ts'
import type { Session } from '../operator/session.ts'
import { column } from '../output/columns.ts'
import { type Row, rowsOf } from '../output/records.ts'
import { wrapped } from '../output/wrapped.ts'

export function configure(command: Command, session: Session): void {
  makeOperatorCommand(command, session, {
    ofOneWorld: false,
    run: async (context) => {
      const widthCharacters = session.outIsTerminal ? session.columns : null
      context.show(await context.ask('GET', '/magic'), (answer) => magicText(answer, widthCharacters))
    },
  })
}

const NOTE = `N is a number from 1 on: take a fresh one for each test.
Tags go into the buyer's e-mail address: jo+declines@example.test
`

function magicText(answer: unknown, widthCharacters: number | null): string {
  const domains = wrapped(rowsOf(answer, 'domains'), columnsUnder('DOMAIN'), widthCharacters)
  const buyers = wrapped(rowsOf(answer, 'buyers'), columnsUnder('BUYER TAG'), widthCharacters)
  return `${domains}\n${buyers}\n${NOTE}`
}

function columnsUnder(heading: string) {
  return [
    column(heading, 'pattern'),
    column('ACTS', 'acts'),
    { heading: 'ON: WHAT IT DOES', cell: (row: Row) => `${row['on']}: ${row['does']}` },
  ]
}
