import { OPERATION_TABLE } from 'virtual:operations'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { callAfter } from '../browser/clock.ts'
import { useConsole, useWorld } from '../console-context.ts'
import { addressOf } from '../router/link.tsx'
import { VIEWS } from '../views/table.ts'
import { NAVIGATION } from './navigation.ts'

/** Something that the palette offers. */
export interface Choice {
  readonly kind: 'View' | 'Act' | 'Order' | 'Domain' | 'Request' | 'Command'
  readonly text: string
  readonly act: () => void
}

/** All views, and all commands of the command line, which are copied. */
export function usePlaces(world: string): readonly Choice[] {
  const { router, toasts } = useConsole()
  return useMemo(() => {
    const shown = new Set(VIEWS.map(({ path }) => path))
    const views = NAVIGATION.filter(({ path }) => shown.has(path)).map(
      ({ name, path }): Choice => ({
        kind: 'View',
        text: name,
        act: () => router.go(path.replace('{w}', encodeURIComponent(world))),
      }),
    )
    const commands = Object.values(OPERATION_TABLE).flatMap(({ commands: rows }) =>
      rows.map(({ usage }): Choice => ({ kind: 'Command', text: `partner-sandbox ${usage}`, act: () => copy(usage) })),
    )
    const copy = (usage: string) => {
      const line = `partner-sandbox ${usage}`
      void navigator.clipboard?.writeText(line).then(() => toasts.done(`Copied: ${line}`))
    }
    return [...views, ...commands]
  }, [world, router, toasts])
}

const TYPING_MS = 150
const EACH = 4

/** Orders, domains and requests that hold what is typed. */
export function useFoundThings(typed: string): readonly Choice[] {
  const { client, router } = useConsole()
  const { world } = useWorld()
  const [found, setFound] = useState<readonly Choice[]>([])
  useEffect(() => {
    const q = typed.trim()
    setFound([])
    if (q === '') return
    let isCurrent = true
    const open =
      (...segments: string[]) =>
      () =>
        router.go(addressOf(world, ...segments))
    const find = async () => {
      const input = { q, limit: EACH }
      const [orders, domains, requests, named] = await Promise.all([
        client.call('orders.list', { w: world }, input).catch(() => ({ orders: [] })),
        client.call('domains.list', { w: world }, input).catch(() => ({ domains: [] })),
        client.call('requests.list', { w: world }, input).catch(() => ({ requests: [] })),
        q.startsWith('req_') ? client.call('requests.show', { w: world, request_id: q }).catch(() => null) : null,
      ])
      const choices: Choice[] = [
        ...orders.orders.map(
          ({ public_id, domain, buyer }): Choice => ({
            kind: 'Order',
            text: `${domain} · ${public_id} · ${buyer.email}`,
            act: open('orders', public_id),
          }),
        ),
        ...domains.domains.map(
          ({ domain }): Choice => ({
            kind: 'Domain',
            text: domain,
            act: () => router.go(`${addressOf(world, 'inventory')}?q=${encodeURIComponent(domain)}`),
          }),
        ),
        ...[...(named ? [named] : []), ...requests.requests].map(
          ({ request_id, method, target, status }): Choice => ({
            kind: 'Request',
            text: `${status} ${method} ${target} · ${request_id}`,
            act: open('requests', request_id),
          }),
        ),
      ]
      if (isCurrent) setFound(choices)
    }
    const cancel = callAfter(TYPING_MS, () => void find())
    return () => {
      isCurrent = false
      cancel()
    }
  }, [typed, client, router, world])
  return found
}
