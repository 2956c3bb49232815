import { Argument, type Command } from 'commander'
import { commandTree } from '../completion/command-tree.ts'
import { SHELL_NAMES, SHELLS, type Shell } from '../completion/shells.ts'
import type { Session } from '../operator/session.ts'

export function configure(command: Command, session: Session): void {
  command
    .addArgument(new Argument('<shell>', 'the shell to write it for').choices(SHELL_NAMES))
    .addHelpText(
      'after',
      `
bash  source <(partner-sandbox completion bash)      # in ~/.bashrc
zsh   source <(partner-sandbox completion zsh)       # in ~/.zshrc, after compinit
fish  partner-sandbox completion fish > ~/.config/fish/completions/partner-sandbox.fish

What is completed is the word partner-sandbox. Where you call it as npx partner-sandbox, in a checkout for instance, give it
that name before these lines:

bash, zsh  partner-sandbox() { npx partner-sandbox "$@"; }
fish       alias partner-sandbox 'npx partner-sandbox'`,
    )
    .action((shell: Shell) => session.out(SHELLS[shell](commandTree(command.parent as Command))))
}
