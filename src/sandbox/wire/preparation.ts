import type { Route } from './route.ts'

/** Thrown in the place of a handler that has to wait first: the call is undone, and served again afterwards. */
export class Unprepared extends Error {
  override name = 'Unprepared'
  /** Waits; rejects with the refusal of the call. */
  readonly prepare: () => Promise<void>

  constructor(prepare: () => Promise<void>) {
    super('the call waits for something outside of its transaction')
    this.prepare = prepare
  }
}

/** A route as the first transaction of a call runs it: where there is something to wait for, it throws that. */
export function untilPrepared(route: Route): Route {
  const { prepare } = route
  if (!prepare) return route
  return {
    ...route,
    handle(input) {
      const work = prepare(input)
      if (work) throw new Unprepared(work)
      return route.handle(input)
    },
  }
}
