import { Argument, type Command } from 'commander'
import type { Session } from '../session.ts'

/** What a shell reads so that the Tab key asks `complete`, which prints a word and a tab and what it is on each line. */
const SCRIPTS = {
  bash: `# partner-sandbox completion bash: put it where bash-completion looks, or: source <(partner-sandbox completion bash)
_partner_sandbox() {
  local IFS=$'\\n'
  COMPREPLY=($(partner-sandbox complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
}
complete -o default -F _partner_sandbox partner-sandbox
`,
  zsh: `#compdef partner-sandbox
# partner-sandbox completion zsh: save it as _partner-sandbox in a folder of $fpath, or: source <(partner-sandbox completion zsh)
_partner_sandbox() {
  local -a offers=("\${(@f)$(partner-sandbox complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null | sed 's/:/\\\\:/g; s/\\t/:/')}")
  if [[ -n $offers ]]; then _describe 'partner-sandbox' offers; else _files; fi
}
if [ "$funcstack[1]" = "_partner-sandbox" ]; then _partner_sandbox "$@"; else compdef _partner_sandbox partner-sandbox; fi
`,
  fish: `# partner-sandbox completion fish: save it as ~/.config/fish/completions/partner-sandbox.fish
function __partner_sandbox_offers
    set -l before (commandline -opc)
    set -l current (commandline -ct)
    partner-sandbox complete -- $before[2..-1] "$current" 2>/dev/null | string match -r '.+'
    or __fish_complete_path "$current"
end
complete -c partner-sandbox -f -a '(__partner_sandbox_offers)'
`,
}

type Shell = keyof typeof SCRIPTS

export function configure(command: Command, session: Session): void {
  command
    .addArgument(new Argument('<shell>', 'the shell to write it for').choices(Object.keys(SCRIPTS)))
    .addHelpText(
      'after',
      `
bash  source <(partner-sandbox completion bash)      # in ~/.bashrc
zsh   source <(partner-sandbox completion zsh)       # in ~/.zshrc, after compinit
fish  partner-sandbox completion fish > ~/.config/fish/completions/partner-sandbox.fish

These lines complete the command partner-sandbox. If you call it as npx partner-sandbox, for example in a checkout, define
the command before these lines:

bash, zsh  partner-sandbox() { npx partner-sandbox "$@"; }
fish       alias partner-sandbox 'npx partner-sandbox'`,
    )
    .action((shell: Shell) => session.out(SCRIPTS[shell]))
}

/** What a shell asks when the Tab key is pressed; see `completion`. */
export function configureComplete(command: Command, session: Session): void {
  command
    .argument('[words...]', 'the words typed after the program; the last one is not complete')
    .action((words: string[]) => {
      const offers = offersFor(command.parent as Command, words)
      session.out(offers.map(([word, about]) => `${word}\t${about}\n`).join(''))
    })
}

type Suggestion = readonly [word: string, about: string]

/** What may be in the place of the last word, as the help of the command before it says. */
function offersFor(program: Command, words: readonly string[]): Suggestion[] {
  const before = words.slice(0, -1)
  let command = program
  for (const word of before) command = command.commands.find((inner) => inner.name() === word) ?? command
  return offersOf(command, before.at(-1) ?? '').filter(([word]) => word.startsWith(words.at(-1) ?? ''))
}

function offersOf(command: Command, last: string): Suggestion[] {
  const option = command.options.find(({ long, short }) => long === last || short === last)
  if (option?.required || option?.optional) return (option.argChoices ?? []).map((word) => [word, ''])
  const help = command.createHelp()
  return [
    ...help.visibleCommands(command).map((inner): Suggestion => [inner.name(), inner.description()]),
    ...(command.registeredArguments[0]?.argChoices ?? []).map((word): Suggestion => [word, '']),
    ...help
      .visibleOptions(command)
      .flatMap(({ long, short, description }) =>
        [long, short].flatMap((name): Suggestion[] => (name ? [[name, description]] : [])),
      ),
  ]
}
