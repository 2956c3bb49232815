import { useState } from 'preact/hooks'
import { type Asked, pasteLine } from '../api/command-line.ts'
import { copyText } from '../browser/copy-text.ts'
import { useConsole } from '../console-context.ts'
import { Button } from './button.tsx'
import { ScrollBox } from './facts.tsx'
import { Icon } from './icon.tsx'

/** Copies a text, and says so. */
export function useCopy(): (text: string, says: string) => void {
  const { toasts } = useConsole()
  return (text, says) =>
    void copyText(text).then(
      () => toasts.done(says),
      () => toasts.failed(new Error('The browser does not allow copying here; select the text instead.')),
    )
}

interface CopyButtonProps {
  text: string
  children: string
  /** What the message says was copied. */
  what?: string
  /** The name where the text alone would not say it. */
  name?: string | undefined
}

export function CopyButton({ text, children, what = 'Copied', name }: CopyButtonProps) {
  const copy = useCopy()
  return (
    <Button kind="quiet" onClick={() => copy(text, what)} {...(name !== undefined && { name })}>
      <Icon name="copy" /> {children}
    </Button>
  )
}

/** What was asked as command lines; as a curl line where no command can say it. */
export function CopyCommand({ of, name }: { of: readonly Asked[]; name?: string }) {
  const { token } = useConsole()
  const lines = of.map((one) => pasteLine(one, location.origin, token.value !== null)).join('\n')
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
      <CopyButton text={text} what={`Copied: ${name}`} name={`Copy: ${name}`}>
        Copy
      </CopyButton>
    </div>
  )
}

/** A secret that is not on the screen until it is asked for. */
export function Secret({ text, name }: { text: string; name: string }) {
  const [isShown, setShown] = useState(false)
  return (
    <span class="secret">
      <code>{isShown ? text : '•'.repeat(24)}</code>
      <span class="buttons">
        <Button isPressed={isShown} name={`Show secret of ${name}`} onClick={() => setShown(!isShown)}>
          Show secret
        </Button>
        <CopyButton text={text} what={`Copied the secret of ${name}`} name={`Copy secret of ${name}`}>
          Copy secret
        </CopyButton>
      </span>
    </span>
  )
}
