/** Made from src/operator-api/operations.ts when the console is built (vite.config.ts). */
declare module 'virtual:operations' {
  export interface SlimCommand {
    readonly usage: string
    readonly summary: string
    readonly args?: readonly string[]
    readonly sends?: Readonly<Record<string, unknown>>
    /** What it says by saying nothing. */
    readonly omits?: Readonly<Record<string, unknown>>
    /** The flag, by the member that it sets; `--on|--off` for both values of a switch. */
    readonly flags: Readonly<Record<string, string>>
  }

  export interface SlimOperation {
    readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
    readonly path: string
    readonly commands: readonly SlimCommand[]
  }

  type Id = import('../../operator-api/operations.ts').OperationId
  export const OPERATION_TABLE: Readonly<Record<Id, SlimOperation>>
}

/** The functions of examples/ that verify a delivery (vite.config.ts). */
declare module 'virtual:verify-snippets' {
  export const VERIFY_SNIPPETS: readonly { readonly name: string; readonly text: string }[]
}
