/** One point that the document leaves open. */
export interface Gap<Value> {
  /** The open row of the requirements that this point belongs to. */
  readonly requirement: string
  readonly question: string
  /** Our sandbox takes the first by default. */
  readonly values: readonly Value[]
  readonly default: Value
  readonly reason: string
  /** The option or setting by which it is chosen instead of here; then there is one value. */
  readonly chosenBy?: string
  /** Why nothing else would do; then there is one value. */
  readonly fixed?: string
}

/** A row without its default, which is the first of its values. */
type Row<Values extends Some> = Omit<Gap<Values[number]>, 'values' | 'default'> & { readonly values: Values }

type Some = readonly [unknown, ...unknown[]]

/** Keeps the literal types of a row, so that the compiler knows its legal values. */
export function gap<const Values extends Some>(row: Row<Values>): Gap<Values[number]> {
  const { requirement, question, values, ...rest } = row
  return { requirement, question, values, default: values[0], ...rest }
}
