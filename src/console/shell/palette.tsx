import { OPERATION_TABLE } from 'virtual:operations'
import { useEffect, useId, useMemo, useState } from 'preact/hooks'
import { PROGRAM } from '../../contract/shell-quote.ts'
import { callAfter } from '../browser/clock.ts'
import { useConsole, useWorld } from '../console-context.ts'
import { useCopy } from '../kit/copy.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { useQuery } from '../live/use-query.ts'
import { addressOf } from '../router/link.tsx'
import { VIEWS } from '../views/table.ts'

const MOST_SHOWN = 12

/** Finds views, orders, domains, requests and commands by what is typed. */
export function Palette({ onClose, more }: { onClose: () => void; more: readonly Choice[] }) {
  const id = useId()
  const { world } = useWorld()
  const [typed, setTyped] = useState('')
  const [at, setAt] = useState(0)
  const places = usePlaces(world)
  const magic = useMagicNames()
  const found = useFoundThings(typed)
  const choices = useMemo(() => {
    const fits = (choice: Choice) => choice.text.toLowerCase().includes(typed.trim().toLowerCase())
    const named = typed.trim() === '' ? [] : magic.filter(fits).slice(0, EACH)
    const others = [...places.filter(fits), ...more.filter(fits), ...found]
    return [...others.slice(0, MOST_SHOWN - named.length), ...named]
  }, [typed, places, more, magic, found])
  useEffect(() => setAt(0), [choices.length, typed])
  const choose = (choice: Choice | undefined) => {
    if (!choice) return
    onClose()
    choice.act()
  }
  const press = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) setAt((at + step + choices.length) % Math.max(1, choices.length))
    if (event.key === 'Enter') choose(choices[at])
    if (step !== 0 || event.key === 'Enter') event.preventDefault()
  }
  return (
    <Dialog title="Find" onClose={onClose} isBare>
      <input
        class="palette-input"
        role="combobox"
        aria-label="Find an order, a domain, a request or a command"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={choices[at] ? `${id}-${at}` : undefined}
        placeholder="Order, domain, request or command"
        autocomplete="off"
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={press}
      />
      <div class="choices" role="listbox" id={`${id}-list`} aria-label="Found">
        {choices.map((choice, index) => (
          <button
            key={`${choice.kind} ${choice.text}`}
            type="button"
            role="option"
            id={`${id}-${index}`}
            tabIndex={-1}
            aria-selected={index === at}
            onClick={() => choose(choice)}
          >
            <span class="soft">{choice.kind}</span> <span>{choice.text}</span>
          </button>
        ))}
      </div>
      {choices.length === 0 && <p class="none soft">Nothing is found for this.</p>}
    </Dialog>
  )
}

/** Something that the palette offers. */
export interface Choice {
  readonly kind: 'View' | 'Act' | 'Magic' | 'Order' | 'Domain' | 'Request' | 'Command'
  readonly text: string
  readonly act: () => void
}

/** All views, and all commands of the command line, which are copied. */
function usePlaces(world: string): readonly Choice[] {
  const { router } = useConsole()
  const copyText = useCopy()
  return useMemo(() => {
    const views = VIEWS.filter(({ icon }) => icon !== undefined).map(
      ({ title, path }): Choice => ({
        kind: 'View',
        text: title,
        act: () => router.go(path.replace('{w}', encodeURIComponent(world))),
      }),
    )
    const commands = Object.values(OPERATION_TABLE).flatMap(({ commands: rows }) =>
      rows.map(
        ({ usage }): Choice => ({
          kind: 'Command',
          text: `${PROGRAM} ${usage}`,
          act: () => copyText(`${PROGRAM} ${usage}`, `Copied: ${PROGRAM} ${usage}`),
        }),
      ),
    )
    return [...views, ...commands]
  }, [world, router])
}

/** Names that behave by themselves are in no list of the world; they are copied, to be sent by a partner. */
function useMagicNames(): readonly Choice[] {
  const copyText = useCopy()
  const { data } = useQuery('magic.list', {})
  return useMemo(
    () =>
      [...(data?.domains ?? []), ...(data?.buyers ?? [])].map(
        ({ example }): Choice => ({
          kind: 'Magic',
          text: example,
          act: () => copyText(example, `Copied: ${example}`),
        }),
      ),
    [data],
  )
}

const TYPING_MS = 150
const EACH = 4

/** Orders, domains and requests that hold what is typed. */
function useFoundThings(typed: string): readonly Choice[] {
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
