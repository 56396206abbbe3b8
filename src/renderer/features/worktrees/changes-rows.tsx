/** How much former content of changed files is kept for undo, and the space that it takes. */
import { useEffect, useState } from 'react'
import { command } from '../../bridge.ts'
import { showFailure } from '../../stores/overlay-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { useChange } from '../../stores/settings-store.ts'
import { Button } from '../../ui/button.tsx'
import { NumberRow, Row } from '../../ui/setting-row.tsx'
import { formatSize } from '../../ui/text/format.ts'

export function ChangesRows() {
  const days = useSession((state) => state.settings.changesDays)
  const megabytes = useSession((state) => state.settings.changesMegabytes)
  const [daysError, changeDays] = useChange()
  const [sizeError, changeSize] = useChange()
  return (
    <>
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
    </>
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
