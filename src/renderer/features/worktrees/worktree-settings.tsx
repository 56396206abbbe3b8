import { useEffect, useState } from 'react'
import { command } from '../../bridge.ts'
import { showFailure } from '../../stores/overlay-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { useChange } from '../../stores/settings-store.ts'
import { Button } from '../../ui/button.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { Section } from '../../ui/setting-page.tsx'
import { NumberRow, Row } from '../../ui/setting-row.tsx'
import { Switch } from '../../ui/switch.tsx'
import { formatSize } from '../../ui/text/format.ts'

const TITLE = 'Carry over uncommitted changes'

/** Whether a new worktree gets the uncommitted changes. */
export function WorktreeSettings() {
  const carryOver = useSession((state) => state.settings.worktreeCarryOver)
  const [error, change] = useChange()
  return (
    <Section title="Worktrees" hint="Merge and discard worktrees in Review.">
      <Row
        title={TITLE}
        name="worktreeCarryOver"
        hint="Off: a new worktree starts from your last commit, and a note lists the changes that it lacks. On: your uncommitted changes are copied into the worktree and become part of a later merge. Your own files stay unchanged."
        error={error}
      >
        <Switch label={TITLE} checked={carryOver} onChange={(on) => void change({ worktreeCarryOver: on })} />
      </Row>
      <SetupRow />
      <VerificationRow />
      <FailedChecksRow />
    </Section>
  )
}

const SETUP = 'Set-up of a worktree'

/** Whether an agent waits for the set-up of its worktree. */
function SetupRow() {
  const setup = useSession((state) => state.settings.worktreeSetup)
  const [error, change] = useChange()
  return (
    <Row
      title={SETUP}
      name="worktreeSetup"
      hint="The commands that install packages and make a worktree ready. Wait: its agent starts after them. Beside: it starts at once, and is told when they have ended."
      error={error}
    >
      <Segmented
        label={SETUP}
        value={setup}
        options={[
          { value: 'wait', label: 'Wait' },
          { value: 'beside', label: 'Beside' },
        ]}
        onChange={(value) => void change({ worktreeSetup: value })}
      />
    </Row>
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

/** How often failed checks of a pull request go to its agent without a press. */
function FailedChecksRow() {
  const most = useSession((state) => state.settings.sendFailedChecks)
  const [error, change] = useChange()
  return (
    <NumberRow
      title="Send failed checks"
      name="sendFailedChecks"
      hint="How often failed checks of a pull request go to its agent by themselves, with the end of their logs: once all checks have ended and the agent is idle. 0: never."
      value={most}
      min={0}
      max={10}
      error={error}
      onChange={(sendFailedChecks) => change({ sendFailedChecks })}
    />
  )
}

/** How much former content of changed files is kept for undo, and the space that it takes. */
export function StorageSettings() {
  const days = useSession((state) => state.settings.changesDays)
  const megabytes = useSession((state) => state.settings.changesMegabytes)
  const [daysError, changeDays] = useChange()
  const [sizeError, changeSize] = useChange()
  return (
    <Section title="Storage" isOnly>
      <NumberRow
        title="Days for undo"
        name="changesDays"
        hint="The content of files before agents changed them is kept for this time. Default: 30."
        value={days}
        min={1}
        max={3650}
        error={daysError}
        onChange={(changesDays) => changeDays({ changesDays })}
      />
      <NumberRow
        title="Megabytes for undo"
        name="changesMegabytes"
        hint="Over this size the oldest conversations lose the kept content first. Default: 2048."
        value={megabytes}
        min={10}
        max={1_000_000}
        error={sizeError}
        onChange={(changesMegabytes) => changeSize({ changesMegabytes })}
      />
      <SpaceRow />
    </Section>
  )
}

function SpaceRow() {
  const [bytes, setBytes] = useState<number | null>(null)
  const [isCleaning, setCleaning] = useState(false)
  useEffect(() => {
    let stale = false
    void command('changes.space', {}).then((answer) => {
      if (!stale && answer.ok && answer.value !== undefined) setBytes(answer.value.bytes)
    })
    return () => {
      stale = true
    }
  }, [])
  const clean = async () => {
    setCleaning(true)
    const answer = await command('changes.clean', {})
    setCleaning(false)
    if (answer.ok) setBytes(answer.value.bytes)
    else showFailure(answer.failure)
  }
  return (
    <Row
      title="Space for undo"
      hint={
        bytes === null
          ? 'Measuring.'
          : `${formatSize(bytes)} of former content. What is over the limits is deleted at the start, and now if you wish.`
      }
    >
      <Button disabled={isCleaning} focusableWhenDisabled onClick={() => void clean()}>
        {isCleaning ? 'Cleaning…' : 'Clean now'}
      </Button>
    </Row>
  )
}
