import { useState } from 'preact/hooks'
import { type Asked, commandLine, curlLine } from '../api/command-line.ts'
import { copyText } from '../browser/copy-text.ts'
import { useConsole } from '../console-context.ts'
import { Button } from './button.tsx'
import { ScrollBox } from './facts.tsx'
import { Icon } from './icon.tsx'

interface CopyButtonProps {
  text: string
  children: string
  /** What the message says was copied. */
  what?: string
  /** The name where the text alone would not say it. */
  name?: string | undefined
}

export function CopyButton({ text, children, what = 'Copied', name }: CopyButtonProps) {
  const { toasts } = useConsole()
  const copy = () => {
    copyText(text).then(
      () => toasts.done(what),
      () => toasts.failed(new Error('The browser does not allow copying here; select the text instead.')),
    )
  }
  return (
    <Button kind="quiet" onClick={copy} {...(name !== undefined && { name })}>
      <Icon name="copy" /> {children}
    </Button>
  )
}

interface CopyAsCommandProps {
  of: Asked
  /** Another curl line than that of the operation: a partner's call. */
  curl?: { line: string; says: string } | undefined
}

/** What is on screen as a command line, and as a curl line. */
export function CopyAsCommand({ of, curl: other }: CopyAsCommandProps) {
  const { token } = useConsole()
  const command = commandLine(of, location.origin)
  const own = { line: curlLine(of, location.origin, token.value !== null), says: 'Copied the curl line' }
  const curl = other ?? own
  return (
    <div class="copy-as">
      {command !== null && (
        <CopyButton text={command} what={`Copied: ${command}`}>
          Copy as command
        </CopyButton>
      )}
      <CopyButton text={curl.line} what={curl.says}>
        Copy as curl
      </CopyButton>
    </div>
  )
}

/** What was asked as command lines; as a curl line where no command can say it. */
export function CopyCommand({ of, name }: { of: readonly Asked[]; name?: string }) {
  const { token } = useConsole()
  const lineOf = (one: Asked) =>
    commandLine(one, location.origin) ?? curlLine(one, location.origin, token.value !== null)
  const lines = of.map(lineOf).join('\n')
  return (
    <CopyButton text={lines} what={`Copied: ${lines}`} name={name}>
      Copy as command
    </CopyButton>
  )
}

/** A text to read and to copy. */
export function Code({ text, name }: { text: string; name: string }) {
  return (
    <div class="code">
      <ScrollBox name={name}>
        <pre>{text}</pre>
      </ScrollBox>
      <CopyButton text={text} what={`Copied: ${name}`}>
        Copy
      </CopyButton>
    </div>
  )
}

/** A secret that is not on the screen until it is asked for. */
export function Secret({ text }: { text: string }) {
  const [isShown, setShown] = useState(false)
  return (
    <span class="secret">
      <code>{isShown ? text : '•'.repeat(24)}</code>{' '}
      <Button kind="quiet" isPressed={isShown} onClick={() => setShown(!isShown)}>
        Show secret
      </Button>{' '}
      <CopyButton text={text} what="Copied the secret">
        Copy secret
      </CopyButton>
    </span>
  )
}
