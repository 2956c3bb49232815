/** A command line without the program, and what it is for. */
type Example = readonly [line: string, says: string]

/**
 * Examples for the help of a group, by its name. Each works as it stands where its sandbox has something of the kind;
 * test/cli/examples.test.ts runs them in this order.
 */
const EXAMPLES: Readonly<Record<string, readonly Example[]>> = {
  '': [
    ['serve', 'then paste the line it prints'],
    ['request list --refused', 'which calls were refused; request show ID says why'],
    ["conform --self --selected --only 'replay/*'", 'judge a sandbox with some of the scenarios'],
  ],
  world: [
    ['world create ci --frozen', 'a world of its own for CI; prints its keys'],
    ['world progress --start-after 10m --complete-after 1h', 'orders go on by themselves'],
    ['world seed --orders 50', 'a month of sales in the default world'],
    ['world reset', 'the default world from its start'],
  ],
  clock: [
    ['clock show', 'the time, and what is due next'],
    ['clock advance --until next', 'to what is due next'],
    ['clock advance 10m30s', 'past the expiry of a quote'],
  ],
  order: [
    ['order show last', 'the latest order, and the steps it allows'],
    ['order hold last --reason "a closer look"', 'into manual review'],
    ['order list --status MANUAL_REVIEW', 'what waits for a decision'],
  ],
  brokerage: [
    ['brokerage show last', 'the latest case, and the steps it allows'],
    ['brokerage negotiate last', 'a step further'],
    ['brokerage close-deal last --price-cents 400000', 'the end of it, with a deal'],
  ],
  checkout: [
    ['checkout list --status open', 'sessions that wait for a buyer'],
    ['checkout decline last', 'a payment that the bank refuses'],
    ['checkout pay last --country SE', 'a payment, with a buyer from Sweden'],
  ],
  link: [['link list', 'tracking links with their clicks and sales']],
  settle: [
    ['settle run', 'close the period now'],
    ['settle show last', 'what the latest run settled'],
  ],
  payout: [
    ['payout run', 'pay what is due'],
    ['payout show last', 'what the latest run paid'],
  ],
  domain: [
    ['domain add shop.test --price-cents 129900 --floor-cents 99900', 'a domain to sell'],
    ['domain show shop.test', 'its price, and who bought it'],
    ['domain set shop.test --price-cents 149900', 'another price'],
  ],
  credential: [
    ['credential create reader --scopes search', 'a key that can only search; prints its secret'],
    ['credential list', 'all keys, without secrets'],
    ['credential revoke reader', 'refused from the next call on'],
  ],
  request: [
    ['request list --refused', 'the calls that were refused'],
    ['request show last', 'why the latest one was'],
    ['request list --status 4xx --limit 5', 'the last five of a class'],
  ],
  event: [
    ['event list --latest --limit 5', 'the last five events'],
    ['event show last', 'the latest with its data'],
  ],
  delivery: [
    ['delivery list', 'the webhooks, and how they ended'],
    ['delivery show last', 'the latest with every attempt'],
    ['delivery redeliver last', 'send it again'],
  ],
  coverage: [
    ['coverage', 'what your client has used of the API'],
    ['coverage reset', 'count from here on'],
  ],
  gap: [
    ['gap list', 'what the API document leaves open'],
    ['gap list --world default', 'what this world chose'],
  ],
  fault: [
    ['fault add --endpoint orders.create --status 503 --times 2', 'two orders fail'],
    ['fault list', 'how often each was applied'],
    ['fault remove last', 'an end of it'],
  ],
  scenario: [
    ['scenario list', 'all scenarios, and what they prove'],
    ['scenario explain NONCE-01', 'what shows a requirement'],
    ['scenario explain auth/body-altered', 'what a scenario does'],
  ],
  report: [
    ["conform --self --selected --only 'replay/*' --reporter ndjson=run.ndjson", 'a run that keeps its log'],
    ['report --allow-unverified --from run.ndjson --reporter html=run.html', 'a page of it'],
    ['report questions run.ndjson', 'what the target chose where the document is open'],
  ],
}

/** The examples of a group, or of the program for an empty name, as they stand below its help; nothing if there are none. */
export function examplesOf(group: string, program: string): string {
  const examples = EXAMPLES[group]
  if (examples === undefined) return ''
  const width = Math.max(...examples.map(([line]) => line.length))
  const lines = examples.map(([line, says]) => `  $ ${program} ${line.padEnd(width)}  # ${says}`)
  return ['', 'Examples:', ...lines].join('\n')
}
