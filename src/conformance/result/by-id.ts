/** The order of scenarios in all lists. */
export function byId(a: { id: string }, b: { id: string }): number {
  return a.id < b.id ? -1 : 1
}
