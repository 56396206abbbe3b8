import { useState } from 'react'
import { useShowsTutorial } from '../../features/tutorial/tutorial-store.ts'
import { mainAgentNext } from '../../stores/conversation-actions.ts'
import { mustAsk, useTrust } from '../../stores/session-feed.ts'
import { useSession } from '../../stores/session-store.ts'

export type FirstQuestion = 'folder' | 'trust' | 'access'

/** The question that comes before the stage, or null. The second part skips the question about access for this session. */
export function useFirstQuestion(): readonly [FirstQuestion | null, () => void] {
  const [later, setLater] = useState(false)
  const folder = useSession((state) => state.folder)
  const access = useSession((state) => state.access.kind)
  // Its programs have logins of their own.
  const hasMainAgent = useSession((state) => mainAgentNext(state) !== null)
  const isTutorial = useShowsTutorial()
  const isTrustUnknown = useTrust((state) => folder !== null && mustAsk(state, folder))
  const question =
    folder === null
      ? 'folder'
      : isTrustUnknown
        ? 'trust'
        : access === 'none' && !hasMainAgent && !isTutorial && !later
          ? 'access'
          : null
  return [question, () => setLater(true)]
}
