import { Option } from 'commander'
import type { BodyOf, OperationId } from '../../operator-api/operations.ts'
import { commandError } from './command-errors.ts'
import { type BodyFlags, bodyFrom, bodyOf, withMemberFlags } from './member-flags.ts'
import type { OperatorCommand, OperatorContext } from './operator-command.ts'

interface Setting<Id extends OperationId> extends Pick<OperatorCommand, 'usage' | 'summary'> {
  flags: BodyFlags<Id>
  /** The flag that sets all of it back, what the help says of it, and the error if others are given with it. */
  usual: readonly [
    flag: string,
    says: string,
    alone: 'profile-reset-alone' | 'manual-alone' | 'usual-alone' | 'hints-off-alone',
  ]
  /** Sets it, or shows it if no flag is given. */
  ask(call: OperatorContext['call'], w: string, body: BodyOf<Id> | null): Promise<unknown>
  text(answer: unknown): string
}

/** A command that shows a setting of a world, or sets it if a flag is given; what is left out is then as usual. */
export function settingCommand<Id extends OperationId>(setting: Setting<Id>): OperatorCommand<{ world?: string }> {
  const { usage, summary = '', flags, ask, text } = setting
  const [usual, says, alone] = setting.usual
  return {
    ...{ usage, summary },
    options: (command) => withMemberFlags(command, flags).option(usual, says),
    async run(context, [name], options) {
      const w = chosenWorld(context, name, options.world)
      const isUsual = Object.keys(options).includes(new Option(usual).attributeName())
      const given = bodyFrom<Id>(flags, options)
      if (isUsual && given) throw commandError(alone)
      context.show(await ask(context.call, w, isUsual ? bodyOf<Id>(flags, {}) : given), text)
    },
  }
}

/** The world may be named as the others of the group `world` do it, or as all other groups do it. */
function chosenWorld({ world }: OperatorContext, name: string | undefined, flag: string | undefined): string {
  if (name !== undefined && flag !== undefined && name !== flag) {
    throw commandError('world-twice', { name, flag })
  }
  return name ?? world
}
