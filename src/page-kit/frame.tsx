import type { ComponentChildren } from 'preact'

interface FrameProps {
  title: string
  /** Inline texts: they hold no `<`, `&` or double quote, which the renderer would escape. */
  style: string
  script?: string
  /** For a page that has to hold in a file, where no header says so: what it may do, and that search engines pass it by. */
  policy?: string | undefined
  children: ComponentChildren
}

/** The document around every page: one style sheet, at most one script, and nothing to load. */
export function Frame({ title, style, script, policy, children }: FrameProps) {
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
      </head>
      <body>
        {children}
        {script !== undefined && <script>{script}</script>}
      </body>
    </html>
  )
}
