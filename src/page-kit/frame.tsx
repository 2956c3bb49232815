import type { ComponentChildren } from 'preact'

interface FrameProps {
  title: string
  /** Inline texts: they hold no `<`, `&` or double quote, which the renderer would escape. */
  style: string
  script?: string
  /** The address of a script of the server that shows the page. */
  scriptUrl?: string
  /** For a page that has to hold in a file, where no header says so: what it may do, and that search engines pass it by. */
  policy?: string | undefined
  children: ComponentChildren
}

/** The document around every page: one style sheet, at most one script. */
export function Frame({ title, style, script, scriptUrl, policy, children }: FrameProps) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        {policy !== undefined && <meta http-equiv="Content-Security-Policy" content={policy} />}
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        {policy !== undefined && <meta name="robots" content="noindex" />}
        <title>{title}</title>
        <style>{style}</style>
        {scriptUrl !== undefined && <script type="module" src={scriptUrl} />}
      </head>
      <body>
        {children}
        {script !== undefined && <script>{script}</script>}
      </body>
    </html>
  )
}
