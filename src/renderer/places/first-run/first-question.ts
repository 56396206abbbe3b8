import { useState } from 'react'
import { useSession } from '../../stores/session-store.ts'
import { mustAsk, useTrust } from '../../stores/trust-store.ts'

export type FirstQuestion = 'folder' | 'trust' | 'access'

/** What must be asked before the stage can be used; null: nothing. The second part puts access off for this session. */
export function useFirstQuestion(): readonly [FirstQuestion | null, () => void] {
  const [later, setLater] = useState(false)
  const folder = useSession((state) => state.folder)
  const access = useSession((state) => state.access.kind)
  const untold = useTrust((state) => folder !== null && mustAsk(state, folder))
  const question =
    folder === null ? 'folder' : untold ? 'trust' : access === 'none' && !later ? 'access' : null
  return [question, () => setLater(true)]
}
