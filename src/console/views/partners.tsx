import { useWorld } from '../console-context.ts'
import { useQuery } from '../live/use-query.ts'

/** Names of partners: those of their first credential, since an id alone says nothing to a person; `isShort` without the id. */
export function usePartnerNames(): (partnerId: string, isShort?: boolean) => string {
  const { world } = useWorld()
  const { data } = useQuery('credentials.list', { w: world }, { live: ['act'] })
  return (partnerId, isShort = false) => {
    const named = data?.credentials.find(({ partner_id }) => partner_id === partnerId)
    if (named === undefined) return partnerId
    return isShort ? named.name : `${named.name} (${partnerId})`
  }
}
