import type { Command } from 'commander'
import type { RawContent } from '../../operator-api/client.ts'
import { SandboxRefusal } from '../../operator-api/refusals.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import { isRecord } from '../output/records.ts'
import { createdWorld } from '../output/worlds.ts'
import { readInput } from '../read-input.ts'
import { addSubcommand, type OperatorContext, queryOf } from './operator-command.ts'
import { SNAPSHOT_TYPE, saveOperatorFile } from './operator-files.ts'
import { CliError, type Session } from './session.ts'

/** The subcommands of `world` that deal with whole worlds as files. */
export function addSnapshots(command: Command, session: Session): void {
  addSubcommand(command, session, {
    usage: 'fork <name> [new]',
    summary: 'copy a world as it stands, with fresh credentials, and print them',
    ofOneWorld: false,
    run: async (context, [name = '', wanted]) => {
      const body = wanted === undefined ? {} : { name: wanted }
      context.show(await context.ask('POST', `${worldPath(name)}/fork`, body), createdWorld)
    },
  })
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
      const restored = await context.client.send('PUT', `/v1${worldPath(name)}/snapshot`, snapshotIn(file))
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
    return await client.send('POST', `/v1/worlds/import${queryOf({ name })}`, snapshotIn(file))
  } catch (error) {
    if (!(error instanceof SandboxRefusal) || error.status !== 409) throw error
    throw new CliError(`${error.detail}; give it another name: world import ${file} NAME`, EXIT_CODES.refused)
  }
}

async function save({ client, show }: OperatorContext, name: string, file: string): Promise<void> {
  if (file === '-') throw new CliError('a snapshot is no text: name a file')
  const bytes = await saveOperatorFile(client, `/v1${worldPath(name)}/snapshot`, file)
  show({ world: name, file, bytes }, () => `saved ${name} to ${file} (${bytes} bytes); it holds secrets\n`)
}

function snapshotIn(file: string): RawContent {
  return { type: SNAPSHOT_TYPE, bytes: readInput(file) }
}

function nowOf(answer: unknown): string {
  return isRecord(answer) ? String(answer['now']) : '?'
}

/** Where a world is, below `/v1`. */
export function worldPath(name: string): string {
  return `/worlds/${encodeURIComponent(name)}`
}
