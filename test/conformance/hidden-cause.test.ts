import { expect, test } from 'vitest'
import { causeInHeaders, causeShown } from '../../src/conformance/format/expectations/hidden-cause.ts'

const body = (message: string, more: object = {}) => JSON.stringify({ code: 'internal_error', message, ...more })

test.each([
  ['a line of a stack trace', body('x', { stack: 'Error: x\n    at Object.<anonymous> (/srv/a.js:1:2)' })],
  ['a line of a stack trace', body('x\n\tat com.acme.Orders.save(Orders.java:42)')],
  ['a line of a stack trace', body('x\n    at new Promise (<anonymous>)')],
  ['a line of a stack trace', body('x\n\tat java.lang.Thread.sleep(Native Method)')],
  ['a line of a stack trace', body('x\n   at Acme.Orders.Save(Order order) in C:\\src\\Orders.cs:line 9')],
  ['a line of a stack trace', body('Traceback (most recent call last):\n  File "a.py", line 3')],
  ['a line of a stack trace', body('panic: runtime error\ngoroutine 1 [running]:')],
  ['a place in a source file', body('failed in orders.rb:17')],
  ['a place in a source file', body('Call to a member function in Order.php on line 9')],
  ['a place in a source file', body('File "orders.py", line 3, in save')],
  ['a path of the machine', body('cannot open /var/lib/orders.db')],
  ['a path of the machine', body('cannot open C:\\inetpub\\orders')],
  ['a statement of SQL', body('SELECT * FROM orders WHERE id = 7')],
  ['a statement of SQL', body('UPDATE orders SET status = 1')],
  ['a message of a database', body('SQLITE_BUSY: database is locked')],
  ['a message of a database', body('ERROR: deadlock detected')],
  ['a message of a database', body('database connection lost')],
  ['a message of a database', body('Redis: could not get a connection from the pool')],
  ['an address of the machine', body('no route to 10.0.0.7:5432')],
  ['an error of the operating system', body('connect ECONNREFUSED')],
  ['the name of an exception', body('NullPointerException')],
  ['a message of an interpreter', body("undefined method 'price' for nil")],
])('sees %s in %s', (what, text) => {
  expect(causeShown(text)).toBe(what)
})

test.each([
  body('internal error; retry with increasing pauses'),
  body('Internal Server Error'),
  body('An unexpected error occurred at our end. Please try again at a later time (reference 7f3a).'),
  body('We could not update your order from here; set a longer pause and select retry.'),
  body('at most 100 orders (an hour) can be recorded'),
  body('Something went wrong. Your connection is fine; version 1.4.22.1 of the service answers again soon.'),
  body('Our domain database is being updated; please retry, the server will be back soon'),
  body('x', { docs: 'https://example.test/errors/database-connection', client: '127.0.0.1:53412' }),
  body('a call from 127.0.0.1:53412 to 127.0.0.1:8080 could not be served', { instance: '127.0.0.1:8080' }),
  body('The report is at https://203.0.113.7:8443/errors'),
  body('The service is closed at this time\n at night (UTC) and on Sundays'),
  body('see https://docs.example.test/app/errors.html and https://example.test/home/status', { request_id: 'req_1' }),
  body('Une erreur s’est produite.', { documentation: '/errors#internal_error', trace_id: '00-4bf92f3577b34da6-01' }),
])('sees no cause in %s', (text) => {
  expect(causeShown(text)).toBeNull()
})

test.each(['SELECT ', '/usr', 'at a ', '.js', 'File "', ' '])(
  'reads a body of 100,000 times %j before the test is out of time',
  (piece) => {
    expect([null, 'string']).toContain(causeShown(body(piece.repeat(100_000))) && 'string')
  },
)

test('sees a cause in a header, but not in one that names addresses or programs', () => {
  expect(causeInHeaders([['X-Exception', 'NullPointerException at Orders.java:42']])).toContain('X-Exception')
  expect(
    causeInHeaders([
      ['Location', '/srv/files/1'],
      ['Set-Cookie', 'sid=1; Path=/app/x'],
      ['Access-Control-Allow-Origin', 'https://shop.rs:8443'],
      ['Content-Security-Policy-Report-Only', 'connect-src 127.0.0.1:9000'],
      ['X-Served-By', 'redis-pool-3'],
    ]),
  ).toBeNull()
})
