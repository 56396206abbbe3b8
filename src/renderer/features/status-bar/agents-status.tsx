/** Agents of the project that wait for the user, as a button that shows them. */
import { setView, useSession } from '../../stores/session-store.ts'
import { count } from '../../ui/format.ts'

export function AgentsStatus() {
  const waiting = useSession((state) => state.definitionProblems.filter(({ waits }) => waits).length)
  if (waiting === 0) return null
  return (
    <button
      type="button"
      onClick={() => setView('agents')}
      className="text-needs-you hover:underline focus-visible:-outline-offset-2"
    >
      {count(waiting, 'agent waits', 'agents wait')} for you
    </button>
  )
}
