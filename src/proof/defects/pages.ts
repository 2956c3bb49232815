import type { World } from '../../sandbox/kernel/world.ts'
import { type PageId, PageRefusal, type PageReply, type PageRequest, type PageRoute } from '../../sandbox/wire/page.ts'
import { perWorld, type Tampered } from './defect.ts'

// Servers with other code behind a page that a browser opens.

type PageHandler = (request: PageRequest, world: World | null) => PageReply

/** Serves a page in another way; `correct` is the code of a correct server. */
export type ServePage = (request: PageRequest, world: World, correct: PageHandler) => PageReply

/** A server with other code behind a page. A page without a world does not change. */
export function serving(id: PageId, handle: ServePage): Tampered {
  const broken = (page: PageRoute): PageRoute => ({
    ...page,
    handle: (request, world) => (world ? handle(request, world, page.handle) : page.handle(request, world)),
  })
  return { hooks: { pages: { [id]: broken } } }
}

/** The request with another value of a query parameter or a form field. */
export function withField(request: PageRequest, where: 'query' | 'form', name: string, value: string): PageRequest {
  const others = request[where].filter(([key]) => key !== name)
  return { ...request, [where]: [...others, [name, value]] }
}

export function fieldIn(pairs: PageRequest['form'], name: string): string {
  return pairs.find(([key]) => key === name)?.[1] ?? ''
}

/** A page that is refused to a browser that has no cookie, once it was opened. */
export function openingOnce(id: 'case-progress' | 'tracking-link'): Tampered {
  const opened = perWorld(() => new Set<string>())
  return serving(id, (request, world, correct) => {
    const mark = JSON.stringify([request.params, request.query])
    if (opened(world).has(mark) && request.cookies.size === 0) throw new PageRefusal(404, 'no such page')
    opened(world).add(mark)
    return correct(request, world)
  })
}
