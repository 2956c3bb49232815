import type { EndpointId } from '../../contract/endpoints.ts'

/** What the target has been seen to accept: the control of refusals that have no twin of their own. */
export interface Evidence {
  note(op: EndpointId | null, credential: string, exchange: string): void
  /** The exchange in which this credential had this operation accepted. */
  of(op: EndpointId, credential: string): string | undefined
  /** Any accepted call of this credential. */
  ofCredential(credential: string): string | undefined
  /** Notes that this very read was accepted, `call` being all that it says. */
  noteRead(call: string, exchange: string): void
  /** The exchange in which this very read was accepted. */
  ofRead(call: string): string | undefined
  /** Any accepted call at all: the target is up and takes valid calls. */
  any(): string | undefined
}

export function createEvidence(): Evidence {
  const byOperation = new Map<string, string>()
  const byCredential = new Map<string, string>()
  const byRead = new Map<string, string>()
  return {
    note(op, credential, exchange) {
      if (op !== null && !byOperation.has(`${op} ${credential}`)) byOperation.set(`${op} ${credential}`, exchange)
      if (!byCredential.has(credential)) byCredential.set(credential, exchange)
    },
    of: (op, credential) => byOperation.get(`${op} ${credential}`),
    ofCredential: (credential) => byCredential.get(credential),
    noteRead: (call, exchange) => void byRead.set(call, exchange),
    ofRead: (call) => byRead.get(call),
    any: () => byCredential.values().next().value,
  }
}
