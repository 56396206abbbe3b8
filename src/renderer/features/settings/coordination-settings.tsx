import { useSession } from '../../stores/session-store.ts'
import { Switch } from '../../ui/switch.tsx'
import { Row, Section, useChange } from './setting-row.tsx'
import { SettingsFile } from './settings-file.tsx'

/** How the main agent of a new conversation works with others. */
export function CoordinationSettings() {
  const chosen = useSession((state) => state.settings.coordinatorMode)
  const given = useSession((state) => state.info.coordinatorMode)
  const [error, change] = useChange()
  return (
    <Section
      id="coordination"
      title="Coordination"
      kept={
        <>
          Stored in <SettingsFile />. The button “Coordinator” in the title bar changes it for one
          conversation.
        </>
      }
    >
      <Row
        title="Coordinator mode"
        name="coordinatorMode"
        hint={
          given === null
            ? 'In new conversations the main agent only plans, gives the work to agents, merges it, and has it verified. Default: off.'
            : `The environment, or env of your settings, turns it ${given ? 'on' : 'off'} (TROUPE_COORDINATOR_MODE). This switch has no effect.`
        }
        error={error}
      >
        <Switch
          label="Coordinator mode"
          checked={given ?? chosen}
          disabled={given !== null}
          onChange={(coordinatorMode) => void change({ coordinatorMode })}
        />
      </Row>
    </Section>
  )
}
