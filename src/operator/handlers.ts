import type { HandlersOf } from './route.ts'
import { caseHandlers } from './routes/cases.ts'
import { checkoutHandlers } from './routes/checkouts.ts'
import { clockHandlers } from './routes/clock.ts'
import { coverageHandlers } from './routes/coverage.ts'
import { credentialHandlers } from './routes/credentials.ts'
import { deliveryHandlers } from './routes/deliveries.ts'
import { domainHandlers } from './routes/domains.ts'
import { eventHandlers } from './routes/events.ts'
import { faultHandlers } from './routes/faults.ts'
import { linkHandlers } from './routes/links.ts'
import { moneyHandlers } from './routes/money.ts'
import { orderHandlers } from './routes/orders.ts'
import { requestHandlers } from './routes/requests.ts'
import { sandboxHandlers } from './routes/sandbox.ts'
import { settingHandlers } from './routes/settings.ts'
import { streamHandlers } from './routes/stream.ts'
import { worldHandlers } from './routes/worlds.ts'

/** One for each row of the operator API (src/operator-api/operations.ts). */
export const HANDLERS: HandlersOf<string> = {
  ...sandboxHandlers,
  ...worldHandlers,
  ...clockHandlers,
  ...streamHandlers,
  ...settingHandlers,
  ...orderHandlers,
  ...checkoutHandlers,
  ...linkHandlers,
  ...moneyHandlers,
  ...coverageHandlers,
  ...domainHandlers,
  ...caseHandlers,
  ...credentialHandlers,
  ...faultHandlers,
  ...requestHandlers,
  ...eventHandlers,
  ...deliveryHandlers,
}
