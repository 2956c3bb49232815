import { render } from 'preact'
import { useState } from 'preact/hooks'
import { copyText } from '../browser/copy-text.ts'

/** A text to read and to copy. It takes the focus, because it may be longer than its box. */
export function CodeBlock({ text, name }: { text: string; name: string }) {
  return (
    <div class="code">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <section tabIndex={0} aria-label={name}>
        <pre>{text}</pre>
      </section>
      <CopyButton text={text} />
    </div>
  )
}

export function CopyButton({ text }: { text: string }) {
  const [says, say] = useState('Copy')
  const copy = () =>
    copyText(text).then(
      () => say('Copied'),
      () => say('Select it'),
    )
  return (
    <button type="button" onClick={copy} onBlur={() => say('Copy')} aria-live="polite">
      {says}
    </button>
  )
}

/** Gives every example of the page a button that copies it. */
export function addCopyButtons(): void {
  for (const example of document.querySelectorAll('pre')) {
    const box = document.createElement('div')
    box.className = 'code'
    example.replaceWith(box)
    const place = document.createElement('span')
    box.append(example, place)
    render(<CopyButton text={example.textContent ?? ''} />, place)
    place.replaceWith(...place.childNodes)
  }
}
