import { useSession } from '../../stores/session-store.ts'
import { NumberRow, Section, useChange } from './setting-row.tsx'
import { SettingsFile } from './settings-file.tsx'

/** How many agents there may be. */
export function ParallelSettings() {
  const atOnce = useSession((state) => state.settings.maxParallelAgents)
  const inAll = useSession((state) => state.settings.maxAgents)
  const [atOnceError, changeAtOnce] = useChange()
  const [inAllError, changeInAll] = useChange()
  return (
    <Section
      id="parallelism"
      title="Parallelism"
      kept={
        <>
          Kept in <SettingsFile />.
        </>
      }
    >
      <NumberRow
        title="Agents at once"
        hint="In one conversation. More are queued and start as others end; an agent that waits holds no place."
        name="maxParallelAgents"
        value={atOnce}
        min={1}
        max={100}
        error={atOnceError}
        onChange={(maxParallelAgents) => changeAtOnce({ maxParallelAgents })}
      />
      <NumberRow
        title="Agents in all"
        hint="In one conversation. At this number no more are started, and the agent that wanted one is told."
        name="maxAgents"
        value={inAll}
        min={1}
        max={1000}
        error={inAllError}
        onChange={(maxAgents) => changeInAll({ maxAgents })}
      />
    </Section>
  )
}
