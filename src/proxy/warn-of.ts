/** A call that could not be judged is missing from the log. What failed may quote a secret of the call, so only its place is printed. */
export function warnOf(error: unknown): void {
  const { name, stack = '' } = error as Error
  const frames = stack.split('\n').filter((line) => line.startsWith('    at '))
  process.emitWarning([`a call could not be judged: ${name}`, ...frames].join('\n'))
}

/** The same work, whose failure ends no process. */
export function warning<Input>(work: (input: Input) => void): (input: Input) => void {
  return (input) => {
    try {
      work(input)
    } catch (error) {
      warnOf(error)
    }
  }
}
