import type { Command } from 'commander'
import type { RawContent } from '../../operator-api/client.ts'
import { SandboxRefusal } from '../../operator-api/refusals.ts'
import { SNAPSHOT } from '../../operator-api/rows/worlds.ts'
import { isRecord } from '../output/records.ts'
import { readInput } from '../read-input.ts'
import type { Session } from '../session.ts'
import { commandError } from './command-errors.ts'
import { addSubcommand, type OperatorContext } from './operator-command.ts'
import { saveSnapshot } from './operator-files.ts'
import { createdWorld } from './show/worlds.ts'

/** The subcommands of `world` that deal with whole worlds as files. */
export function addSnapshots(command: Command, session: Session): void {
  for (const verb of ['snapshot', 'export'] as const) {
    addSubcommand(command, session, {
      usage: `${verb} <name> <file>`,
      summary:
        verb === 'snapshot' ? 'save all of a world as one SQLite file' : 'the same as snapshot, for another machine',
      ofOneWorld: false,
      run: async (context, [name = '', file = '']) => save(context, name, file),
    })
  }
  addSubcommand(command, session, {
    usage: 'restore <name> <file>',
    summary: 'take a world to what a snapshot says; its name and keys stay',
    ofOneWorld: false,
    run: async (context, [name = '', file = '']) => {
      const restored = await context.client.send('snapshots.restore', { w: name }, snapshotIn(file))
      context.show(restored, (answer) => `restored ${name} from ${file}: it is ${nowOf(answer)} there\n`)
    },
  })
  addSubcommand(command, session, {
    usage: 'import <file> [name]',
    summary: 'make a world of a snapshot, under its own name unless another is given; print its credentials',
    ofOneWorld: false,
    run: async (context, [file = '', name]) => context.show(await imported(context, file, name), createdWorld),
  })
}

async function imported({ client }: OperatorContext, file: string, name: string | undefined): Promise<unknown> {
  try {
    return await client.send('worlds.import', {}, snapshotIn(file), name === undefined ? {} : { name })
  } catch (error) {
    if (!(error instanceof SandboxRefusal) || error.status !== 409) throw error
    throw commandError('import-name-taken', { detail: error.detail, file })
  }
}

async function save({ client, show }: OperatorContext, name: string, file: string): Promise<void> {
  if (file === '-') throw commandError('snapshot-to-terminal')
  const bytes = await saveSnapshot(client, name, file)
  show({ world: name, file, bytes }, () => `saved ${name} to ${file} (${bytes} bytes); it holds secrets\n`)
}

function snapshotIn(file: string): RawContent {
  return { type: SNAPSHOT.type, bytes: readInput(file) }
}

function nowOf(answer: unknown): string {
  return isRecord(answer) ? String(answer['now']) : '?'
}
