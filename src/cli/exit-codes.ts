/** What the process says with its exit code. CI jobs depend on these numbers: they never change. */
export const EXIT_CODES = {
  /** Done; for a run: conforming. */
  ok: 0,
  /** A requirement is violated; for an operator's command: the sandbox refused it. */
  refused: 1,
  /** No requirement is violated, but not every one was shown. */
  notFullyVerified: 2,
  /** A baseline whose entries pass by now, fail otherwise or have expired. */
  baseline: 3,
  /** A wrong flag, file or scenario, or a credential that the target refuses from the first call on. */
  usage: 4,
  /** Our own fault. */
  harness: 5,
  /** The target or the sandbox cannot be reached. */
  unreachable: 6,
} as const

export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES]

/** Shown below the help of the commands that use more than 0 and 4. */
export const EXIT_CODE_HELP = `
Exit codes: 0 conforming, 1 non-conforming, 2 not fully verified, 3 baseline outdated or expired,
            4 wrong flag, file or scenario, 5 harness error, 6 target unreachable`

/** The same for a receiver, which has no baseline. */
export const RECEIVER_EXIT_CODE_HELP = `
Exit codes: 0 conforming, 1 non-conforming, 2 not fully verified, 4 wrong flag or file, 5 harness error,
            6 receiver unreachable`
