import { useSession } from '../../stores/session-store.ts'
import { useChange } from '../../stores/settings-store.ts'
import { Segmented } from '../../ui/segmented.tsx'
import { Row, Section, SettingsFile } from '../../ui/setting-row.tsx'
import { Switch } from '../../ui/switch.tsx'
import { ChangesRows } from './changes-rows.tsx'

const TITLE = 'Carry over uncommitted changes'

/** Whether a new worktree gets the uncommitted changes. */
export function WorktreeSettings() {
  const carryOver = useSession((state) => state.settings.worktreeCarryOver)
  const [error, change] = useChange()
  return (
    <Section
      id="worktrees"
      title="Worktrees and undo"
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
      <VerificationRow />
      <ChangesRows />
    </Section>
  )
}

const VERIFY = 'Verify changes'

/** Whether changed files are verified after a run. */
function VerificationRow() {
  const verification = useSession((state) => state.settings.verification)
  const [error, change] = useChange()
  return (
    <Row
      title={VERIFY}
      name="verification"
      hint="After a run that changed files, the Verification agent runs the project’s checks on a copy of exactly these files, and reports a verdict with evidence. Ask: a question appears below the conversation. Always: it starts by itself, up to three times for each of your messages."
      error={error}
    >
      <Segmented
        label={VERIFY}
        value={verification}
        options={[
          { value: 'off', label: 'Off' },
          { value: 'ask', label: 'Ask' },
          { value: 'always', label: 'Always' },
        ]}
        onChange={(value) => void change({ verification: value })}
      />
    </Row>
  )
}
