import { useSession } from '../../stores/session-store.ts'
import { useChange } from '../../stores/settings-store.ts'
import { Segmented } from '../../ui/segmented.tsx'
import { Section } from '../../ui/setting-page.tsx'
import { Row } from '../../ui/setting-row.tsx'
import { Switch } from '../../ui/switch.tsx'

/** How the main agent of a new conversation works with others. */
export function CoordinationSettings() {
  const chosen = useSession((state) => state.settings.coordinatorMode)
  const given = useSession((state) => state.info.coordinatorMode)
  const [error, change] = useChange()
  return (
    <Section
      title="Coordination"
      hint="The button “Coordinator” in the title bar changes it for one conversation."
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
      <McpRow />
    </Section>
  )
}

const MCP = 'MCP tools for subagents'

function McpRow() {
  const value = useSession((state) => state.settings.mcpToolsForSubagents)
  const [error, change] = useChange()
  return (
    <Row
      title={MCP}
      name="mcpToolsForSubagents"
      hint="All: subagents get the tools of MCP servers unless their definition excludes them. Listed: only those that a definition names. None: only the main agent has them. Default: all."
      error={error}
    >
      <Segmented
        label={MCP}
        value={value}
        options={[
          { value: 'all', label: 'All' },
          { value: 'listed', label: 'Listed' },
          { value: 'none', label: 'None' },
        ]}
        onChange={(mcpToolsForSubagents) => void change({ mcpToolsForSubagents })}
      />
    </Row>
  )
}
