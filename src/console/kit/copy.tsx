import { type Asked, commandLine, curlLine } from '../api/command-line.ts'
import { copyText } from '../browser/copy-text.ts'
import { useConsole } from '../console-context.ts'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import { ScrollBox } from './scroll-box.tsx'

interface CopyButtonProps {
  text: string
  children: string
  /** What the message says was copied. */
  what?: string
}

export function CopyButton({ text, children, what = 'Copied' }: CopyButtonProps) {
  const { toasts } = useConsole()
  const copy = () => {
    copyText(text).then(
      () => toasts.done(what),
      () => toasts.failed(new Error('The browser does not allow copying here; select the text instead.')),
    )
  }
  return (
    <Button kind="quiet" onClick={copy}>
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
  const command = commandLine(of)
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
