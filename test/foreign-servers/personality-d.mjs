// D: the service of A with lists that begin with the oldest row, and with a key for the next page that the runner does not know.
// A sold name stays for sale, so what an earlier run sold comes first in a list. E is D with a target file that does not name the
// key for reports: what lies behind their first page cannot be read.
import { A } from './personality-a.mjs'

export const D = { ...A, ordersNewestFirst: false, nextPageKey: 'continuation' }
