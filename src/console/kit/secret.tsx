import { useState } from 'preact/hooks'
import { Button } from './button.tsx'
import { CopyButton } from './copy.tsx'

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
