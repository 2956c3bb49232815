import { useEffect, useState } from 'preact/hooks'

/** A value that components watch. */
export class Signal<Value> {
  #value: Value
  readonly #watchers = new Set<() => void>()

  constructor(value: Value) {
    this.#value = value
  }

  get value(): Value {
    return this.#value
  }

  set(value: Value): void {
    if (Object.is(value, this.#value)) return
    this.#value = value
    for (const watcher of [...this.#watchers]) watcher()
  }

  /** @returns call it to end that. */
  watch(watcher: () => void): () => void {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }
}

/** The value now; the component is drawn again when it changes. */
export function useSignal<Value>(signal: Signal<Value>): Value {
  const [, draw] = useState({})
  useEffect(() => signal.watch(() => draw({})), [signal])
  return signal.value
}
