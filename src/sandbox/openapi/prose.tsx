import type { ComponentChildren } from 'preact'

/** The little Markdown our descriptions use: paragraphs, lists, and code between backticks. */
export function Prose({ text }: { text: string }) {
  return (
    <>
      {text.split(/\n{2,}/).map((block) => (
        <Block key={block} lines={block.split('\n')} />
      ))}
    </>
  )
}

const ITEM = /^(?:\d+\.|-) /

function Block({ lines }: { lines: readonly string[] }) {
  if (!lines.every((line) => ITEM.test(line))) return <p>{inline(lines.join(' '))}</p>
  const items = lines.map((line) => <li key={line}>{inline(line.replace(ITEM, ''))}</li>)
  return lines[0]?.startsWith('-') ? <ul>{items}</ul> : <ol>{items}</ol>
}

/** Every other piece between backticks is code. */
function inline(text: string): ComponentChildren[] {
  return text.split('`').map((piece, index) => (index % 2 === 1 ? <code key={`${index}`}>{piece}</code> : piece))
}
