import { Signal } from './signal.ts'

export type Theme = 'system' | 'light' | 'dark'

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

  #show(): void {
    document.documentElement.dataset['theme'] = this.theme.value
  }
}

function read(): Theme {
  const kept = localStorage.getItem(KEY)
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}
