import { Signal } from './signal.ts'

export type Theme = 'system' | 'light' | 'dark'

const NEXT: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' }

const KEY = 'partner-sandbox.theme'

/** Dark or light: the system's unless the person has said otherwise. */
export class ThemeStore {
  readonly theme = new Signal<Theme>(read())

  constructor() {
    this.#show()
  }

  set(theme: Theme): void {
    localStorage.setItem(KEY, theme)
    this.theme.set(theme)
    this.#show()
  }

  /** From the system's to light, to dark, and back. */
  next(): void {
    this.set(NEXT[this.theme.value])
  }

  #show(): void {
    document.documentElement.dataset['theme'] = this.theme.value
  }
}

function read(): Theme {
  const kept = localStorage.getItem(KEY)
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}
