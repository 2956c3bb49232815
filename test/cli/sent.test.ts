import { createServer } from 'node:http'
import { expect, it } from 'vitest'
import { listening } from '../support/listening.ts'
import { cli } from './run.ts'

/**
 * Command lines that are more than a row of an operation, and below each the request that it makes. Those of the rows are asked one by
 * one in test/operator-api; what the operator does is proved in test/operator.
 */
const SENT = `
  delivery probe dlv_1 --tampering body
    POST /deliveries/dlv_1/probe {"tampering":"body"}
  delivery profile --duplicate 2
    PUT /delivery-profile {"duplicate":2}
  delivery profile --reorder
    PUT /delivery-profile {"reorder":true}
  delivery profile --delay 90s
    PUT /delivery-profile {"delay":"90s"}
  delivery profile --drop
    PUT /delivery-profile {"drop":true}
  delivery profile --wrong-secret
    PUT /delivery-profile {"wrong_secret":true}
  delivery profile --before-response
    PUT /delivery-profile {"before_response":true}
  delivery profile --reset
    PUT /delivery-profile {}
  fault add --endpoint orders.create --credential main --domain a.test --drop after-commit --times 3
    POST /faults {"match":{"endpoint":"orders.create","credential":"main","domain":"a.test"},"effect":{"drop":"after-commit"},"times":3}
  fault add --retry-after 2
    POST /faults {"match":{},"effect":{"code":"rate_limited","retry_after":2}}
  fault add --status 429 --retry-after 2
    POST /faults {"match":{},"effect":{"status":429,"retry_after":2}}
  fault add --delay 3s
    POST /faults {"match":{},"effect":{"delay_ms":3000}}
  fault add --delay 250ms
    POST /faults {"match":{},"effect":{"delay_ms":250}}
  fault add --garbage
    POST /faults {"match":{},"effect":{"garbage":true}}
  fault add --garbage html --domain a.test
    POST /faults {"match":{"domain":"a.test"},"effect":{"garbage":"html"}}
  fault add --code conflict
    POST /faults {"match":{},"effect":{"code":"conflict"}}
  fault add --status 500 --probability 0.1 --seed x --forever
    POST /faults {"match":{},"effect":{"status":500},"probability":0.1,"seed":"x","times":null}
  credential create all
    POST /credentials {"name":"all","scopes":["search","embed","buy","broker","refer","report","webhook"]}
  domain add a.test --price-cents 1000 --floor-cents 900 --topic retail --topic tea
    POST /domains {"price_cents":1000,"floor_price_cents":900,"topics":["retail","tea"],"domain":"a.test"}
  world progress a --complete-after 2h
    PUT /v1/worlds/a/progress {"complete_after":"2h"}
  world progress a --manual
    PUT /v1/worlds/a/progress {}
  world progress a --world a
    GET /v1/worlds/a/progress
  world rules --world a --commission-brokerage 7 --hold-country SE
    PUT /v1/worlds/a/rules {"commission":{"brokerage_basis_points":7},"review":{"buyer_countries":["SE"]}}
  world rules a --usual
    PUT /v1/worlds/a/rules {}
  world create plain --inventory 0
    POST /v1/worlds {"name":"plain","inventory":0}
  world create a --start-after 10m --complete-after PT2H --settle-every 7d
    POST /v1/worlds {"name":"a","progress":{"start_after":"10m","complete_after":"PT2H","settle_every":"7d"}}
  world create a --commission-partner-collected 100 --commission-hosted-checkout 200 --commission-brokerage 0
    POST /v1/worlds {"name":"a","rules":{"commission":{"partner_collected_basis_points":100,"hosted_checkout_basis_points":200,"brokerage_basis_points":0}}}
  world create a --hold-above 100000 --hold-country SE --hold-country NO
    POST /v1/worlds {"name":"a","rules":{"review":{"price_above_cents":100000,"buyer_countries":["SE","NO"]}}}
`
const PAIRS = SENT.trim()
  .split(/\n(?= {2}\S)/)
  .map((pair) => pair.trim().split(/\n +/) as [string, string])

it.each(PAIRS)('%s sends %s', async (line, wanted) => {
  const sent: string[] = []
  const url = await listening(
    createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      sent.push(`${request.method} ${request.url} ${body}`.trim())
      // A probe ends with 0 only where the delivery itself was accepted.
      response.end('{"attempts":[{"status":200}]}')
    }),
  )
  expect(await cli([...line.split(' '), '--sandbox', url])).toMatchObject({ code: 0, err: '' })
  expect(sent).toEqual([wanted.replace(/ \/(?!v1)/, ' /v1/worlds/default/')])
})
