import type { ComponentType } from 'preact'
import type { IconName } from '../kit/icon.tsx'

/** What every view gets. */
export interface ViewProps {
  /** The parameters of its address. */
  readonly params: Readonly<Record<string, string>>
}

/** A view under its address. */
export interface ViewRow {
  /** A segment in braces is a parameter; `{w}` is a world. */
  readonly path: string
  readonly title: string
  readonly view: ComponentType<ViewProps>
  /** Of its link in the navigation; left out for a view that has none. */
  readonly icon?: IconName
  /** Set for a view that shows calls only: a proxy has it, too. */
  readonly ofCalls?: true
}
