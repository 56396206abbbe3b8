/** Instructions that changed and wait for the user, as a button that shows them. */
import { showSettingsPart } from '../../stores/mcp-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { count } from '../../ui/format.ts'

export function TextsStatus() {
  const waiting = useSession((state) => state.waitingTexts)
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
