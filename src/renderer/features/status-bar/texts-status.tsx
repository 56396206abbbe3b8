/** Instructions that changed and wait for the user, as a button that shows them. */
import { useEffect } from 'react'
import { loadDefinitions } from '../../stores/folder-facts.ts'
import { showSettingsPart } from '../../stores/mcp-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { count } from '../../ui/format.ts'

export function TextsStatus() {
  const waiting = useSession((state) => state.waitingTexts)
  const folder = useSession((state) => state.folder?.path ?? null)
  useEffect(() => {
    if (folder === null) return
    // Another program, such as git, may have changed the files.
    const load = () => void loadDefinitions(folder)
    window.addEventListener('focus', load)
    return () => window.removeEventListener('focus', load)
  }, [folder])
  if (waiting === 0) return null
  return (
    <button
      type="button"
      onClick={() => showSettingsPart('permissions')}
      className="text-needs-you hover:underline focus-visible:-outline-offset-2"
    >
      {count(waiting, 'instruction waits', 'instructions wait')} for you
    </button>
  )
}
