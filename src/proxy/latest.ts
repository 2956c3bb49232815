/** So many are remembered of each kind; then the oldest is forgotten. */
const MOST_REMEMBERED = 10_000

/** The values that were put in last, by key. */
export class Latest<Value> {
  readonly #values = new Map<string, Value>()

  get(key: string): Value | undefined {
    return this.#values.get(key)
  }

  /** Puts a value in, and gives the one that was there. */
  put(key: string, value: Value): Value | undefined {
    const before = this.#values.get(key)
    this.#values.delete(key)
    this.#values.set(key, value)
    if (this.#values.size > MOST_REMEMBERED) this.#values.delete(this.#values.keys().next().value as string)
    return before
  }
}
