import { useWorld } from '../console-context.ts'
import { useQuery } from '../live/use-query.ts'

/** Names of partners: those of their first credential, since an id alone says nothing to a person. */
export function usePartnerNames(): (partnerId: string) => string {
  const { world } = useWorld()
  const { data } = useQuery('credentials.list', { w: world }, { live: ['act'] })
  return (partnerId) => {
    const named = data?.credentials.find(({ partner_id }) => partner_id === partnerId)
    return named === undefined ? partnerId : `${named.name} (${partnerId})`
  }
}
