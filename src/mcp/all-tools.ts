import type { Tool } from './tool.ts'
import { CALL_PARTNER_API, SIGN } from './tools/call.ts'
import { JUDGE_RECEIVER, RUN_CONFORMANCE } from './tools/judge.ts'
import { COVERAGE, EXPLAIN_CALL, EXPLAIN_DELIVERY, STATUS } from './tools/look.ts'
import { ACT_OPERATOR, ADVANCE_CLOCK, FIND_OPERATION, READ_OPERATOR } from './tools/operations.ts'

/** Every tool, in the order in which clients are shown them. */
export const TOOLS: readonly Tool[] = [
  STATUS,
  EXPLAIN_CALL,
  EXPLAIN_DELIVERY,
  SIGN,
  CALL_PARTNER_API,
  FIND_OPERATION,
  READ_OPERATOR,
  ACT_OPERATOR,
  ADVANCE_CLOCK,
  COVERAGE,
  RUN_CONFORMANCE,
  JUDGE_RECEIVER,
]
