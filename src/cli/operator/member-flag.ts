/** Reads a value, for commander. */
type Reader = (text: string, earlier: string[] | undefined) => unknown

/**
 * A flag that sets a member of what is sent: the member (`buyer.email` for one of a member that is an object), the flag, what
 * the help says of it, and how its value is read if not as it stands: one of a few words, or by a reader.
 */
export type MemberFlag<Member extends string = string> = readonly [
  member: Member,
  flags: string,
  says: string,
  read?: readonly string[] | Reader | undefined,
]
