import type { TargetOptions } from './conform-target.ts'
import type { Selection } from './select-scenarios.ts'

/** What `conform` was asked for. */
export interface ConformOptions extends TargetOptions, Selection {
  reporter?: string[]
  verbose?: boolean
  allowUnverified?: boolean
  selected?: boolean
  failOn?: 'drift'[]
  baseline?: string
  writeBaseline?: string
  resume?: string[]
  dryRun?: boolean
  watch?: boolean
  /** True: one failing scenario. */
  bail?: number | true
  maxWait?: number
  ask?: boolean
}
