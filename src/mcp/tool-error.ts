/** The end of a call that cannot do what was asked. The message says what to do next. */
export class ToolError extends Error {
  override name = 'ToolError'
}
