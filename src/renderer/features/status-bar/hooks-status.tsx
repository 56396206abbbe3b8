/** Hooks that wait for the user, as a button that shows them. */
import { isWaiting, useHooks, useHooksOfFolder } from '../../stores/hooks-store.ts'
import { showSettingsPart } from '../../stores/mcp-store.ts'
import { count } from '../../ui/format.ts'

export function HooksStatus() {
  useHooksOfFolder()
  const waiting = useHooks((store) => store.state?.entries.filter(isWaiting).length ?? 0)
  if (waiting === 0) return null
  return (
    <button
      type="button"
      onClick={() => showSettingsPart('hooks')}
      className="text-needs-you hover:underline focus-visible:-outline-offset-2"
    >
      {count(waiting, 'hook waits', 'hooks wait')} for you
    </button>
  )
}
