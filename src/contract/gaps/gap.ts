/** One point that the document leaves open. */
export interface Gap<Value> {
  /** The open row of the requirements that this point belongs to. */
  readonly requirement: string
  readonly question: string
  readonly values: readonly Value[]
  readonly default: Value
  readonly reason: string
  /** The option or setting by which it is chosen instead of here; then there is one value. */
  readonly chosenBy?: string
  /** Why nothing else would do; then there is one value. */
  readonly fixed?: string
}

/** Keeps the literal types of a row, so that the compiler knows its legal values. */
export function gap<const Value>(definition: Gap<Value>): Gap<Value> {
  return definition
}
