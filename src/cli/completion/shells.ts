import { allNodes, type CommandNode, type Flag } from './command-tree.ts'

/** What a shell reads so that the Tab key completes our command line: a script for each. */
export const SHELLS = { bash, zsh, fish } as const satisfies Record<string, (tree: CommandNode) => string>

export type Shell = keyof typeof SHELLS

export const SHELL_NAMES = Object.keys(SHELLS) as Shell[]

/** Where words stand is found by walking along the commands that were typed so far. */
function bash(tree: CommandNode): string {
  const words = allNodes(tree).map((node) => `    ${quoted(keyOf(node))}) echo ${quoted(wordsOf(node).join(' '))} ;;`)
  const values = allNodes(tree).flatMap((node) =>
    node.flags
      .filter(({ takes }) => takes !== 'nothing')
      .map((flag) => `    ${patternsOf(node, flag)}) ${bashValues(flag.takes)} ;;`),
  )
  return `# partner-sandbox completion bash: put it where bash-completion looks, or: source <(partner-sandbox completion bash)
_partner_sandbox_words() {
  case $1 in
${words.join('\n')}
  esac
}
_partner_sandbox() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} place='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case " $(_partner_sandbox_words "$place") " in
      *" \${COMP_WORDS[i]} "*) [[ \${COMP_WORDS[i]} == -* ]] || place="\${place:+$place }\${COMP_WORDS[i]}" ;;
    esac
  done
  case "$place|$prev" in
${values.join('\n')}
    *) COMPREPLY=($(compgen -W "$(_partner_sandbox_words "$place")" -- "$cur")) ;;
  esac
  [[ \${#COMPREPLY[@]} -gt 0 || $cur == -* ]] || COMPREPLY=($(compgen -f -- "$cur"))
}
complete -o filenames -F _partner_sandbox partner-sandbox
`
}

function keyOf(node: CommandNode): string {
  return node.path.join(' ')
}

function wordsOf({ below, flags, argument }: CommandNode): string[] {
  const choices = typeof argument === 'string' ? [] : argument
  return [...below.map(({ path }) => path.at(-1) as string), ...choices, ...flags.flatMap(({ names }) => names)]
}

function patternsOf(node: CommandNode, { names }: Flag): string {
  return names.map((name) => quoted(`${keyOf(node)}|${name}`)).join('|')
}

function bashValues(takes: Flag['takes']): string {
  if (takes === 'file') return 'COMPREPLY=($(compgen -f -- "$cur"))'
  return typeof takes === 'string'
    ? 'COMPREPLY=(); return'
    : `COMPREPLY=($(compgen -W ${quoted(takes.join(' '))} -- "$cur"))`
}

/** A function for each command; _arguments hands the rest of the line to the one below. */
function zsh(tree: CommandNode): string {
  return `#compdef partner-sandbox
# partner-sandbox completion zsh: save it as _partner-sandbox in a folder of $fpath, or: source <(partner-sandbox completion zsh)
${allNodes(tree).map(zshFunction).join('\n')}
if [ "$funcstack[1]" = "_partner-sandbox" ]; then _partner_sandbox "$@"; else compdef _partner_sandbox partner-sandbox; fi
`
}

function zshFunction(node: CommandNode): string {
  const flags = node.flags.flatMap(zshFlag)
  if (node.below.length === 0) {
    return `${zshName(node)}() {\n  _arguments -s ${[...flags, ...zshArgument(node)].map(quoted).join(' \\\n    ')}\n}`
  }
  const commands = node.below.map((inner) => quoted(`${inner.path.at(-1)}:${inner.about}`)).join('\n    ')
  const cases = node.below.map((inner) => `        ${inner.path.at(-1)}) ${zshName(inner)} ;;`).join('\n')
  return `${zshName(node)}() {
  local line state
  local -a commands=(
    ${commands}
  )
  _arguments -C ${[...flags, '1: :->command', '*:: :->rest'].map(quoted).join(' \\\n    ')}
  case $state in
    command) _describe command commands ;;
    rest)
      case $line[1] in
${cases}
      esac ;;
  esac
}`
}

function zshName({ path }: CommandNode): string {
  return ['_partner_sandbox', ...path].join('_').replaceAll('-', '_')
}

function zshFlag({ names, about, takes }: Flag): string[] {
  const text = about.replace(/[[\]:]/g, (character) => `\\${character}`)
  const value = takes === 'nothing' ? '' : `:value:${zshValues(takes)}`
  return names.map((name) => `${name}[${text}]${value}`)
}

function zshArgument({ argument }: CommandNode): string[] {
  return argument === 'nothing' ? [] : [`*: :${zshValues(argument)}`]
}

function zshValues(takes: Exclude<Flag['takes'], 'nothing'>): string {
  if (takes === 'file') return '_files'
  return typeof takes === 'string' ? ' ' : `(${takes.join(' ')})`
}

/** A line for each word, with the condition under which it may come. */
function fish(tree: CommandNode): string {
  const lines = allNodes(tree).flatMap((node) => [
    ...node.below.map((inner) => fishCommand(node, inner)),
    ...node.flags.map((flag) => fishFlag(node, flag)),
    ...fishArgument(node),
  ])
  return `# partner-sandbox completion fish: save it as ~/.config/fish/completions/partner-sandbox.fish
function __partner_sandbox_at
    set -l typed (commandline -opc)
    set -e typed[1]
    set -l words
    for word in $typed
        string match -q -- '-*' $word; or set -a words $word
    end
    test (count $words) -ge (count $argv); or return 1
    for i in (seq (count $argv))
        test $words[$i] = $argv[$i]; or return 1
    end
end
function __partner_sandbox_just_at
    __partner_sandbox_at $argv; or return 1
    set -l words (string match -v -- '-*' (commandline -opc)[2..-1])
    test (count $words) -eq (count $argv)
end
complete -c partner-sandbox -f
${lines.join('\n')}
`
}

function fishCommand(node: CommandNode, inner: CommandNode): string {
  const at = ['__partner_sandbox_just_at', ...node.path].join(' ')
  return `complete -c partner-sandbox -n ${quoted(at)} -a ${quoted(inner.path.at(-1) as string)} -d ${quoted(inner.about)}`
}

function fishFlag(node: CommandNode, { names, about, takes }: Flag): string {
  const at = [node.path.length === 0 ? '__partner_sandbox_just_at' : '__partner_sandbox_at', ...node.path].join(' ')
  const spelt = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`)).join(' ')
  const value =
    takes === 'nothing'
      ? ''
      : takes === 'file'
        ? ' -r -F'
        : typeof takes === 'string'
          ? ' -x'
          : ` -x -a ${quoted(takes.join(' '))}`
  return `complete -c partner-sandbox -n ${quoted(at)} ${spelt}${value} -d ${quoted(about)}`
}

function fishArgument(node: CommandNode): string[] {
  if (node.argument === 'nothing' || node.argument === 'word') return []
  const at = ['__partner_sandbox_at', ...node.path].join(' ')
  const words = node.argument === 'file' ? '-F' : `-a ${quoted(node.argument.join(' '))}`
  return [`complete -c partner-sandbox -n ${quoted(at)} ${words}`]
}

/** In single quotes, as all three shells read them. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
