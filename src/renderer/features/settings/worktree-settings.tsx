import { useSession } from '../../stores/session-store.ts'
import { Switch } from '../../ui/switch.tsx'
import { Row, Section, useChange } from './setting-row.tsx'
import { SettingsFile } from './settings-file.tsx'

const TITLE = 'New worktrees begin with uncommitted changes'

/** What a new worktree holds beside the last commit. */
export function WorktreeSettings() {
  const carryOver = useSession((state) => state.settings.worktreeCarryOver)
  const [error, change] = useChange()
  return (
    <Section
      id="worktrees"
      title="Worktrees"
      kept={
        <>
          Kept in <SettingsFile />. What is merged or discarded is chosen in Review.
        </>
      }
    >
      <Row
        title={TITLE}
        name="worktreeCarryOver"
        hint="Off: an agent with a worktree of its own begins with your last commit, and you are told which changes are not in it. On: changes that you have not committed are copied into it, and are part of what is merged later. Your own files stay as they are."
        error={error}
      >
        <Switch label={TITLE} checked={carryOver} onChange={(on) => void change({ worktreeCarryOver: on })} />
      </Row>
    </Section>
  )
}
