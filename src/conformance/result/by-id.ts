/** The order of scenarios wherever they are listed. */
export function byId(a: { id: string }, b: { id: string }): number {
  return a.id < b.id ? -1 : 1
}
