import type { ComponentChildren } from 'preact'
import { ID_PREFIXES } from '../../contract/ids.ts'
import { useConsole, useWorld } from '../console-context.ts'

interface LinkProps {
  to: string
  children: ComponentChildren
  class?: string
  'aria-current'?: 'page' | undefined
  'aria-label'?: string
}

/** A link within the console: a plain one for the browser, so that it opens in a new tab and can be copied. */
export function Link({ to, children, ...rest }: LinkProps) {
  const { router } = useConsole()
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    router.go(to)
  }
  return (
    <a href={to} onClick={follow} {...rest}>
      {children}
    </a>
  )
}

/** The address of something in the world that is looked at. @example useAddress()('orders', 'ord_1') */
export function useAddress(): (...segments: readonly string[]) => string {
  const { world } = useWorld()
  return (...segments) => addressOf(world, ...segments)
}

export function addressOf(world: string, ...segments: readonly string[]): string {
  return ['', 'w', world, ...segments].map(encodeURIComponent).join('/')
}

/** Where an id leads, by its prefix. */
const SECTIONS: Readonly<Record<string, readonly string[]>> = {
  [ID_PREFIXES.order]: ['orders'],
  [ID_PREFIXES.event]: ['events'],
  [ID_PREFIXES.delivery]: ['deliveries'],
  [ID_PREFIXES.checkoutSession]: ['checkout'],
  [ID_PREFIXES.brokerageCase]: ['brokerage'],
  [ID_PREFIXES.settlementRun]: ['money', 'settlements'],
  [ID_PREFIXES.payoutRun]: ['money', 'payouts'],
}

interface IdLinkProps {
  id: string | null
  /** Ids of calls need it: behind a proxy they are as the other server makes them. */
  section?: string
  class?: string
}

/** An id as a link, if a view shows it; a dash for none. */
export function IdLink({ id, section, ...rest }: IdLinkProps) {
  const address = useAddress()
  if (id === null) return <>—</>
  const segments = section === undefined ? SECTIONS[`${id.split('_')[0]}_`] : [section]
  if (segments === undefined) return null
  return (
    <Link to={address(...segments, id)} {...rest}>
      {id}
    </Link>
  )
}

/** A page of the sandbox beside the console, in a tab of its own that knows nothing of this one. */
export function OutLink({ to, children }: { to: string; children: ComponentChildren }) {
  return (
    <a class="out" href={to} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  )
}
