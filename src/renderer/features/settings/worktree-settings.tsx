import { useSession } from '../../stores/session-store.ts'
import { Switch } from '../../ui/switch.tsx'
import { Row, Section, useChange } from './setting-row.tsx'
import { SettingsFile } from './settings-file.tsx'

const TITLE = 'Carry over uncommitted changes'

/** Whether a new worktree gets the uncommitted changes. */
export function WorktreeSettings() {
  const carryOver = useSession((state) => state.settings.worktreeCarryOver)
  const [error, change] = useChange()
  return (
    <Section
      id="worktrees"
      title="Worktrees"
      kept={
        <>
          Stored in <SettingsFile />. Merge and discard worktrees in Review.
        </>
      }
    >
      <Row
        title={TITLE}
        name="worktreeCarryOver"
        hint="Off: a new worktree starts from your last commit, and a note lists the changes that it lacks. On: your uncommitted changes are copied into the worktree and become part of a later merge. Your own files stay unchanged."
        error={error}
      >
        <Switch label={TITLE} checked={carryOver} onChange={(on) => void change({ worktreeCarryOver: on })} />
      </Row>
    </Section>
  )
}
