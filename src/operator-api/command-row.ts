/** A command that asks for one operation and shows its answer. */
export interface CommandRow<Input = unknown, Answer = unknown> {
  /** Group, verb and arguments: `order show <id>`. */
  readonly usage: string
  readonly summary: string
  /** What the arguments are, in their order: the world, or members of the body. The other parameters of the path unless given. */
  readonly args?: readonly ('w' | (keyof Input & string))[]
  /** The flags in the order of the help, by the member of the query or the body that each sets. */
  readonly flags?: { readonly [Member in MemberPath<Input>]?: Flag }
  /** Members that are always sent. */
  readonly sends?: Partial<Input>
  /** Stands below the help. */
  readonly helpAfter?: string
  readonly shows: Shows<Answer>
  /** What the operation takes a step on, as a person calls it: a refusal says its state and what that allows. */
  readonly stepOf?: string
  /** Stands before the other commands of its group. */
  readonly first?: true
}

/**
 * A flag, what the help says of it, and how its value is read if that does not follow from the schema: one of a few words, or
 * a text that is `filled`, not empty.
 */
export type Flag = readonly [flag: string, says: string, read?: readonly string[] | 'filled']

/** Members by name, those of a member that is an object as `buyer.email`. */
type MemberPath<Input> = {
  [Name in keyof Input & string]:
    | Name
    | (NonNullable<Input[Name]> extends readonly unknown[] | string | number | boolean
        ? never
        : `${Name}.${keyof NonNullable<Input[Name]> & string}`)
}[keyof Input & string]

/** How an answer is shown to a person. */
export type Shows<Answer = unknown> = ListShow<Answer> | DoneShow | RendererName

/** A list as a table. */
export type ListShow<Answer> = {
  [Name in keyof Answer]: Answer[Name] extends readonly (infer Row)[]
    ? { readonly list: Name; readonly none?: string; readonly columns: readonly ColumnRow<keyof Row & string>[] }
    : never
}[keyof Answer]

/** A sentence in which `{0}` is the first argument and `{world}` the world. */
export interface DoneShow {
  readonly done: string
}

/** A heading, the member below it, and how that is written if not as it stands. */
export type ColumnRow<Member extends string = string> = readonly [
  heading: string,
  member: Member,
  as?: 'money' | 'count',
]

/** What the command line shows by code of its own (src/cli/operator/renderers.ts). */
export type RendererName =
  | 'clock'
  | 'created world'
  | 'delivery'
  | 'deliveries'
  | 'domain'
  | 'domains'
  | 'events'
  | 'facts'
  | 'faults'
  | 'magic'
  | 'payout run'
  | 'requests'
  | 'reset world'
  | 'seeded world'
  | 'settlement run'
  | 'summary'
  | 'timeline'
  | 'world'
  | 'worlds'
