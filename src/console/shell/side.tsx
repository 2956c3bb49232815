import { useSignal } from '../browser/signal.ts'
import { useConsole, useWorld } from '../console-context.ts'
import { Icon, Mark } from '../kit/icon.tsx'
import { Link } from '../router/link.tsx'
import { VIEWS } from '../views/table.ts'
import { NAVIGATION } from './navigation.ts'

const paths = new Set(VIEWS.map(({ path }) => path))

export function Side({ isOpen }: { isOpen: boolean }) {
  const { router } = useConsole()
  const { world } = useWorld()
  const { path: shown } = useSignal(router.place)
  const links = NAVIGATION.filter(({ path }) => paths.has(path)).map((link) => ({
    ...link,
    to: link.path.replace('{w}', encodeURIComponent(world)),
  }))
  const nearest = links
    .filter(({ to }) => shown === to || shown.startsWith(`${to}/`))
    .sort((a, b) => b.to.length - a.to.length)[0]
  return (
    <nav class={isOpen ? 'side is-open' : 'side'} id="side" aria-label="Console">
      <Link to={`/w/${encodeURIComponent(world)}`} class="brand">
        <Mark /> partner-sandbox
      </Link>
      <ul>
        {links.map(({ name, icon, to }) => (
          <li key={name}>
            <Link to={to} aria-current={nearest?.name === name ? 'page' : undefined}>
              <Icon name={icon} /> {name}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
