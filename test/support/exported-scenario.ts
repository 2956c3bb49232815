import { expect, onTestFinished } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/index.ts'
import { cli } from '../cli/run.ts'
import { tempFolder } from './temp-folder.ts'

export const SCENARIO = 'idempotency/stored-answer-after-refund'

export async function started(): Promise<Sandbox> {
  const sandbox = await startSandbox()
  onTestFinished(() => sandbox.close())
  return sandbox
}

export async function exported(format: string, id = SCENARIO): Promise<string> {
  const folder = tempFolder()
  const { code, err } = await cli(['scenario', 'export', id, '--format', format, '--out', folder])
  expect([code, err]).toEqual([0, ''])
  return folder
}

/** The order of the scenario, which was sold, taken back, and sold no second time. */
export async function expectRefundedOrder({ defaultWorld }: Sandbox): Promise<void> {
  const orders = await defaultWorld.orders.all()
  expect(orders.filter(({ status }) => status === 'REFUNDED')).toHaveLength(1)
  const { requests } = await defaultWorld.requests.list({ limit: 50 })
  expect(requests.filter(({ status }) => status >= 400)).toEqual([])
}
