/** A refused call in a line. */
export interface RefusalNotice {
  readonly requestId: string
  readonly world: string
  readonly method: string
  /** Without its query. */
  readonly path: string
  /** Why; no secret is in it. */
  readonly sentence: string
  /** How many refused calls were skipped since the last one that was printed. */
  readonly passedOver: number
}
